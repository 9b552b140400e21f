/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reuse-scenarios.h"

#include "scheduled-call.h"

#include "ns3/callback.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>

namespace ns3
{

namespace
{

/**
 * @param cookie cookie of a message that is sent
 */
void
Ignore(uint64_t cookie [[maybe_unused]])
{
}

/**
 * @param source rank that sends
 * @param destination rank that receives
 * @param microseconds when
 * @param bytes its size
 * @return sends a message of background traffic then
 */
std::function<void(const ReuseTransports&)>
SendBeside(uint32_t source, uint32_t destination, uint32_t microseconds, uint64_t bytes = 4000000)
{
    return [=](const ReuseTransports& transports) {
        Message message;
        message.source = source;
        message.destination = destination;
        message.channel = Message::FIRST_BACKGROUND_CHANNEL;
        message.cookie = Message::FIRST_BACKGROUND_COOKIE;
        message.bytes = bytes;
        const auto transport = transports.ranks[source];
        transport->SetBackgroundCallback(MakeCallback(&Ignore));
        ScheduleCall(MicroSeconds(microseconds), [=]() { transport->Send(message); });
    };
}

/**
 * Have a few packets wait in front of rank 1 before the first calls.
 *
 * @param transports what the ranks send by
 */
void
FillQueue(const ReuseTransports& transports)
{
    SendBeside(2, 1, 1, 40000)(transports);
    SendBeside(3, 1, 1, 40000)(transports);
}

/**
 * @param from when, us
 * @param until when, us
 * @return takes the link between rank 4 and its leaf down and up then
 */
std::function<void(const ReuseTransports&)>
CutLink(uint32_t from, uint32_t until)
{
    return [=](const ReuseTransports& transports) {
        const auto network = transports.network;
        const auto& graph = network->GetGraph();
        const auto link = graph.GetFirstLink(graph.GetHosts()[4], false);
        Simulator::Schedule(MicroSeconds(from), &RdmaNetwork::SetLinkUp, network, link, false);
        Simulator::Schedule(MicroSeconds(until), &RdmaNetwork::SetLinkUp, network, link, true);
    };
}

/**
 * @param from when, us
 * @param until when, us
 * @param priority which packets, 3 = those of calls
 * @return has the NVSwitch of the first server pause its ranks then
 */
std::function<void(const ReuseTransports&)>
PauseFirst(uint32_t from, uint32_t until, uint8_t priority = 3)
{
    return [=](const ReuseTransports& transports) {
        const auto& graph = transports.network->GetGraph();
        for (uint32_t rank = 0; rank < ReuseRun::SERVER; ++rank)
        {
            const auto host = graph.GetHosts()[rank];
            const auto link = graph.GetFirstLink(host, true);
            const auto port = transports.network->GetPort(link, graph.GetPeer(link, host));
            Simulator::Schedule(MicroSeconds(from),
                                &RdmaNetDevice::SendPause,
                                port,
                                priority,
                                true);
            Simulator::Schedule(MicroSeconds(until),
                                &RdmaNetDevice::SendPause,
                                port,
                                priority,
                                false);
        }
    };
}

/**
 * Have two rails lose packets to rank 4, and mark others, long before the first calls.
 *
 * @param transports what the ranks send by
 */
void
MakeTrouble(const ReuseTransports& transports)
{
    SendBeside(1, 4, 1)(transports);
    SendBeside(10, 4, 1)(transports);
    CutLink(70, 80)(transports);
}

/**
 * @param first us before each call of the first server's ranks
 * @param second us before each call of the second server's ranks
 * @param third us before each call of the third server's ranks
 * @return the same by rank
 */
std::vector<uint32_t>
DelayServers(uint32_t first, uint32_t second, uint32_t third)
{
    std::vector<uint32_t> lateness(ReuseRun::WORLD, first);
    std::fill(lateness.begin() + ReuseRun::SERVER, lateness.end(), second);
    std::fill(lateness.begin() + 2 * ReuseRun::SERVER, lateness.end(), third);
    return lateness;
}

/**
 * @param lateness us before each call of the first rank of each server, 10 = before the others'
 * @return the same by rank
 */
std::vector<uint32_t>
DelayFirsts(uint32_t lateness)
{
    std::vector<uint32_t> delays(ReuseRun::WORLD, 10);
    for (uint32_t rank = 0; rank < ReuseRun::WORLD; rank += ReuseRun::SERVER)
    {
        delays[rank] = lateness;
    }
    return delays;
}

/**
 * @return scenarios of trees, as whose members calls end one after the other. A call of 4 MB that
 *         all begin at a time takes 20 to 22 us; those who wait for the same time after it begin
 *         the next one apart.
 */
std::vector<ReuseScenario>
MakeTreeScenarios()
{
    std::vector<ReuseScenario> scenarios;
    ReuseScenario tree;
    tree.name = "members leave a tree one after the other";
    tree.isTree = true;
    tree.calls = {4000000, 4000000};
    tree.simulated = 2;
    scenarios.push_back(tree);

    ReuseScenario follower = tree;
    follower.name = "another message comes when a member of a call that is skipped has ended";
    follower.disturb = SendBeside(7, 4, 31, 100);
    follower.madeUp = 1;
    scenarios.push_back(follower);

    ReuseScenario leader = tree;
    leader.name = "another message comes when a member of a call that others follow has ended";
    leader.disturb = SendBeside(3, 0, 31, 100);
    leader.madeUp = 2;
    scenarios.push_back(leader);

    ReuseScenario next = tree;
    next.name = "a member begins the next call when others have not ended one that others follow";
    next.lateness = DelayServers(0, 10, 100);
    // Both of the first server; the first call of the third one, as it is not known whether that
    // would be the same; and one of two second calls of the others.
    next.simulated = 4;
    next.madeUp = 1;
    scenarios.push_back(next);

    ReuseScenario unfit = next;
    unfit.name = "a member began the next call when others had not ended one that was like this";
    unfit.lateness = DelayServers(0, 100, 200);
    unfit.simulated = 5;
    unfit.madeUp = 0;
    scenarios.push_back(unfit);

    ReuseScenario paused = tree;
    paused.name = "a call that was paused when a member had ended is not reused";
    paused.calls = {4000000};
    paused.lateness = DelayServers(10, 100, 200);
    paused.disturb = PauseFirst(31, 32);
    scenarios.push_back(paused);
    return scenarios;
}

/**
 * @return scenarios of other calls than those of a ring or a tree, and of members that do something
 *         else, or nothing more, in the midst of a call
 */
std::vector<ReuseScenario>
MakeOtherScenarios()
{
    std::vector<ReuseScenario> scenarios;
    ReuseScenario pair;
    pair.name = "members of a call that is skipped send messages beside it";
    pair.calls = {4000000};
    pair.pair = {5, 6};
    pair.simulated = 1;
    pair.madeUp = 1;
    scenarios.push_back(pair);

    ReuseScenario pairs;
    pairs.name = "equal calls of two ranks each";
    pairs.calls = {4000000, 4000000};
    pairs.inPairs = true;
    pairs.simulated = 1;
    scenarios.push_back(pairs);

    ReuseScenario nvls;
    nvls.name = "equal calls that NVSwitches reduce";
    nvls.calls = {4000000, 4000000, 1000000, 4000000};
    nvls.isNvls = true;
    nvls.simulated = 2;
    scenarios.push_back(nvls);

    ReuseScenario after = nvls;
    after.name = "members begin the next call when NVSwitches have not heard of the end of one";
    after.calls = {4000000, 4000000};
    after.lateness = DelayServers(0, 100, 200);
    // Both of the first server, and the first one of the second server.
    after.simulated = 3;
    scenarios.push_back(after);

    ReuseScenario ideal = nvls;
    ideal.name += ", without packets";
    ideal.isIdeal = true;
    scenarios.push_back(ideal);

    ReuseScenario forward = pairs;
    forward.name = "the simulator cannot go back";
    forward.inPairs = false;
    forward.catchesUp = false;
    forward.simulated = 2 * ReuseRun::SERVERS;
    scenarios.push_back(forward);

    ReuseScenario gone;
    gone.name = "members go that are held back";
    gone.calls = {4000000};
    gone.lateness = {12000};
    gone.stop = 5000;
    scenarios.push_back(gone);

    ReuseScenario skipped = gone;
    skipped.name = "members go in the midst of a call that is skipped";
    skipped.lateness = DelayServers(10, 100, 100);
    skipped.stop = 105;
    scenarios.push_back(skipped);
    return scenarios;
}

/**
 * @return the scenarios. A call of 4 MB in a server takes 2 * 3/4 * 4 MB at 450 GB/s, 14 us and
 *         some more for steps; over the network, of three members, 2 * 2/3 * 4 MB at 50 GB/s, 107
 *         us. A call begins 10 us after the end of the one before.
 */
std::vector<ReuseScenario>
MakeScenarios()
{
    std::vector<ReuseScenario> scenarios;
    ReuseScenario equal;
    equal.name = "equal calls in three servers at a time";
    equal.calls = {4000000, 4000000, 1000000, 4000000};
    equal.simulated = 2;
    scenarios.push_back(equal);

    ReuseScenario across = equal;
    across.name = "equal calls on four rails at a time";
    across.acrossServers = true;
    scenarios.push_back(across);

    ReuseScenario late = equal;
    late.name = "members of the first server begin apart";
    late.lateness = {10, 13, 11, 17};
    late.simulated = 0;
    scenarios.push_back(late);

    ReuseScenario patience = equal;
    patience.name = "members begin when others are held back no longer";
    patience.calls = {4000000};
    patience.lateness = DelayFirsts(12000);
    patience.simulated = ReuseRun::SERVERS;
    scenarios.push_back(patience);

    ReuseScenario beside = equal;
    beside.name = "another message comes while a call is skipped";
    beside.calls = {4000000, 4000000, 4000000};
    beside.disturb = SendBeside(5, 6, 45);
    // The second call of the second server, which begins at some 35 us, and its third call: its
    // members have begun apart since.
    beside.simulated = 2;
    beside.madeUp = 1;
    scenarios.push_back(beside);

    ReuseScenario leader = beside;
    leader.name = "another message comes while others wait for what a call leads to";
    leader.disturb = SendBeside(1, 2, 15);
    // The first server leads the first call, and the others then have packets. Its members begin
    // the second and the third call apart, each time otherwise; another server leads the second
    // one.
    leader.simulated = 4;
    leader.madeUp = 2;
    scenarios.push_back(leader);

    ReuseScenario queue = equal;
    queue.name = "a queue was longer before than in the call that others follow";
    queue.lateness.assign(ReuseRun::WORLD, 50);
    queue.disturb = FillQueue;
    scenarios.push_back(queue);

    // Of ideal networks the same goes, but the calls take no more than these times.
    const auto count = scenarios.size();
    for (std::size_t i = 0; i < count; ++i)
    {
        ReuseScenario ideal = scenarios[i];
        ideal.name += ", without packets";
        ideal.isIdeal = true;
        scenarios.push_back(ideal);
    }

    ReuseScenario down = across;
    down.name = "a link goes down and comes up while calls are skipped";
    down.calls = {4000000, 4000000};
    down.disturb = CutLink(180, 190);
    down.simulated = 1;
    down.madeUp = 4;
    scenarios.push_back(down);

    ReuseScenario broken = down;
    broken.name = "a link goes down when nothing is under way, and is still when calls begin";
    broken.lateness.assign(ReuseRun::WORLD, 50);
    // The first calls end at some 165 us, the second ones begin 50 us later, all with packets.
    broken.disturb = CutLink(190, 300);
    broken.simulated = 1 + ReuseRun::SERVER;
    broken.madeUp = 0;
    scenarios.push_back(broken);

    ReuseScenario paused;
    paused.name = "a call that was paused is not reused";
    paused.calls = {4000000, 4000000, 4000000};
    paused.lateness = DelayServers(10, 100, 200);
    paused.disturb = PauseFirst(15, 16);
    // The first and the second call of the first server.
    paused.simulated = 2;
    scenarios.push_back(paused);

    ReuseScenario followed = paused;
    followed.name = "the ports of a call that others follow are paused, but not for its packets";
    followed.calls = {4000000, 4000000};
    followed.isTree = true;
    followed.lateness.clear();
    followed.disturb = PauseFirst(15, 16, 0);
    // The first server's first call, and the second call of another one.
    followed.simulated = 2;
    followed.madeUp = 2;
    scenarios.push_back(followed);

    ReuseScenario before = across;
    before.name = "packets were lost and marked long before calls that others follow";
    before.calls = {4000000, 4000000};
    before.lateness.assign(ReuseRun::WORLD, 100000);
    before.disturb = MakeTrouble;
    // The call that another rail follows, and those of the two that send slower since then.
    before.simulated = 5;
    scenarios.push_back(before);

    ReuseScenario held = patience;
    held.name = "another message comes while members are held back";
    held.lateness = {12000};
    held.disturb = SendBeside(1, 2, 45);
    // The call of the first server, and that of another one.
    held.simulated = 2;
    scenarios.push_back(held);

    ReuseScenario beyond;
    beyond.name = "members begin the next call while they are held back";
    beyond.calls = {4000000, 4000000};
    beyond.lateness = DelayFirsts(100);
    beyond.waits = false;
    beyond.simulated = 2 * ReuseRun::SERVERS;
    scenarios.push_back(beyond);

    ReuseScenario once;
    once.name = "members begin the next call at the time at which all end one";
    once.calls = {4000000, 4000000};
    once.lateness = DelayServers(0, 100, 200);
    once.simulated = 1;
    scenarios.push_back(once);

    ReuseScenario again = leader;
    again.name = "who was disturbed reuses calls later";
    again.calls.assign(12, 4000000);
    again.simulated = 0;
    again.twice = 1;
    scenarios.push_back(again);

    ReuseScenario close = again;
    close.name = "members begin calls when others have not ended the one before";
    close.lateness.assign(ReuseRun::WORLD, 0);
    close.disturb = SendBeside(1, 2, 5);
    close.overlaps = true;
    scenarios.push_back(close);
    return scenarios;
}

} // namespace

std::vector<ReuseScenario>
MakeReuseScenarios()
{
    auto scenarios = MakeScenarios();
    for (auto make : {&MakeTreeScenarios, &MakeOtherScenarios})
    {
        const auto more = make();
        scenarios.insert(scenarios.end(), more.begin(), more.end());
    }
    return scenarios;
}

} // namespace ns3
