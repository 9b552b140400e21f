/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-test-job.h"

#include "ns3/ideal-message-transport.h"
#include "ns3/node-container.h"
#include "ns3/replay-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/**
 * @param delay delay of every path
 * @param source sending rank
 * @param destination receiving rank
 * @return the path between them: port numbers are rank numbers
 */
IdealPath
FindPath(Time delay, uint32_t source, uint32_t destination)
{
    return {source, destination, delay};
}

} // namespace

ReplayTestJob::ReplayTestJob(uint32_t world, Dimension dimension)
{
    ParallelLayout layout;
    layout.world = world;
    m_handMade = std::make_shared<Workload>("test", "test", layout);
    m_workload = m_handMade;
    Communicator communicator;
    communicator.name = "all";
    communicator.dimension = dimension;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        communicator.ranks.push_back(rank);
    }
    m_communicator = m_handMade->AddCommunicator(communicator);
}

ReplayTestJob::ReplayTestJob(std::shared_ptr<const Workload> workload)
    : m_workload(workload)
{
}

void
ReplayTestJob::SetProgram(uint32_t rank, std::shared_ptr<const WorkloadProgram> program)
{
    m_handMade->SetRank(rank, program, {m_communicator});
}

void
ReplayTestJob::SetProgram(std::shared_ptr<const WorkloadProgram> program)
{
    for (uint32_t rank = 0; rank < m_workload->GetLayout().world; ++rank)
    {
        SetProgram(rank, program);
    }
}

void
ReplayTestJob::Run(DataRate rate,
                   Time delay,
                   Ptr<CollectiveSelection> algorithms,
                   uint32_t nIterations)
{
    auto network = CreateObject<IdealNetwork>();
    network->SetPathFinder(MakeBoundCallback(&FindPath, delay));
    for (uint32_t rank = 0; rank < m_workload->GetLayout().world; ++rank)
    {
        network->AddPort(rate);
    }
    Run(network, algorithms, nIterations);
}

void
ReplayTestJob::Run(Ptr<IdealNetwork> network,
                   Ptr<CollectiveSelection> algorithms,
                   uint32_t nIterations)
{
    const uint32_t world = m_workload->GetLayout().world;
    std::vector<Ptr<MessageTransport>> transports;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        auto transport = CreateObject<IdealMessageTransport>();
        transport->SetNetwork(network, rank);
        transports.emplace_back(transport);
    }
    Run(transports, algorithms, nIterations);
}

void
ReplayTestJob::Run(const std::vector<Ptr<MessageTransport>>& transports,
                   Ptr<CollectiveSelection> algorithms,
                   uint32_t nIterations)
{
    const uint32_t world = m_workload->GetLayout().world;
    NodeContainer nodes(world);
    ReplayHelper helper(m_workload);
    if (nIterations != BY_ATTRIBUTE)
    {
        helper.SetAttribute("Iterations", UintegerValue(nIterations));
    }
    if (algorithms)
    {
        helper.SetAlgorithms(algorithms);
    }
    if (configure)
    {
        configure(helper);
    }
    auto applications = helper.Install(nodes, transports);
    ReplayHelper::AssignStreams(applications, 0);
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        auto application = DynamicCast<ReplayApplication>(applications.Get(rank));
        expectedBytes.push_back(application->GetExpectedBytes());
        application->SetFaultCallback(MakeCallback(&ReplayTestJob::Failed, this));
        application->TraceConnectWithoutContext("OpFinished",
                                                MakeCallback(&ReplayTestJob::OpFinished, this));
        application->TraceConnectWithoutContext(
            "CollectiveFinished",
            MakeCallback(&ReplayTestJob::CollectiveFinished, this));
        application->TraceConnectWithoutContext(
            "IterationFinished",
            MakeCallback(&ReplayTestJob::IterationFinished, this));
    }
    if (stop.IsStrictlyPositive())
    {
        applications.Stop(stop);
    }
    Simulator::Run();
    end = Simulator::Now();
    events = Simulator::GetEventCount();
    waits = ReplayHelper::DescribeWaits(applications);
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        receivedBytes.push_back(
            DynamicCast<ReplayApplication>(applications.Get(rank))->GetReceived().bytes);
    }
    Simulator::Destroy();
}

OpRecord
ReplayTestJob::GetOp(uint32_t rank, const std::string& name) const
{
    for (const auto& record : ops)
    {
        if (record.rank == rank &&
            record.program->GetName(record.program->GetOps()[record.op]) == name)
        {
            return record;
        }
    }
    return OpRecord();
}

void
ReplayTestJob::OpFinished(const OpRecord& record)
{
    ops.push_back(record);
}

void
ReplayTestJob::CollectiveFinished(const CollectiveRecord& record)
{
    collectives.push_back(record);
}

void
ReplayTestJob::IterationFinished(const IterationRecord& record)
{
    iterations.push_back(record);
}

void
ReplayTestJob::Failed(const ReplayFault& fault)
{
    faults.push_back(fault.message);
    Simulator::Stop();
}

TestProgram::TestProgram(const std::string& file)
    : builder(file)
{
    builder.AddStream({"compute", true, Dimension::WORLD});
    builder.AddStream({"dp", false, Dimension::DP});
    builder.AddStream({"send", false, Dimension::PP});
    builder.AddStream({"recv", false, Dimension::PP});
}

TestProgram::OpIndex
TestProgram::Compute(const std::string& name, Time duration, uint16_t stream)
{
    WorkloadOp op;
    op.kind = OpKind::COMPUTE;
    op.amount = duration.GetPicoSeconds();
    op.stream = stream;
    op.origin = ++m_ops;
    return builder.AddOp(op, name);
}

TestProgram::OpIndex
TestProgram::Collective(const std::string& name, CollectiveKind kind, uint64_t bytes)
{
    WorkloadOp op;
    op.kind = OpKind::COLLECTIVE;
    op.collective = kind;
    op.amount = bytes;
    op.stream = 1;
    op.origin = ++m_ops;
    return builder.AddOp(op, name);
}

TestProgram::OpIndex
TestProgram::Send(const std::string& name, uint32_t peer, uint64_t bytes, uint32_t tag)
{
    return Transfer(OpKind::SEND, 2, name, peer, bytes, tag);
}

TestProgram::OpIndex
TestProgram::Receive(const std::string& name, uint32_t peer, uint64_t bytes, uint32_t tag)
{
    return Transfer(OpKind::RECV, 3, name, peer, bytes, tag);
}

TestProgram::OpIndex
TestProgram::Transfer(OpKind kind,
                      uint16_t stream,
                      const std::string& name,
                      uint32_t peer,
                      uint64_t bytes,
                      uint32_t tag)
{
    WorkloadOp op;
    op.kind = kind;
    op.amount = bytes;
    op.stream = stream;
    op.peer = peer;
    op.tag = tag;
    op.origin = ++m_ops;
    return builder.AddOp(op, name);
}

std::shared_ptr<const WorkloadProgram>
TestProgram::Build()
{
    return builder.Build();
}

} // namespace ns3
