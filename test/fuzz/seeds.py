#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes what fuzzing starts from: small valid inputs, and the words that readers know.

usage: seeds.py OUTPUT WL_REPLAY [SHARED]

OUTPUT/TARGET/ gets the inputs of a target, OUTPUT/dictionary what libFuzzer puts into them. SHARED
is a folder of files in workload formats, which are taken as well if they are small.
"""

import glob
import gzip
import os
import re
import struct
import subprocess
import sys
import tempfile

FUZZ = os.path.dirname(os.path.abspath(__file__))
MODULE = os.path.join(FUZZ, "../..")
EXAMPLES = os.path.join(MODULE, "examples")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(MODULE, "test"))
from program import execution_plans, switch_plans
from program.bench import LAYERS, TABLE

LARGEST_SHARED = 20000  # bytes

GOAL = """num_ranks 2
rank 0 {
l1: calc 100 cpu 1
l2: send 65536b to 1 tag 7 cpu 0 nic 1
l2 requires l1
}
rank 1 {
l1: recv 65536b from -1 tag -1 /* any */
l2: calc 5 // ns
l2 irequires l1
}
"""

SIMAI_TOPOLOGY = """7 2 2 1 8 H100
4 5 6
0 4 2400Gbps 0.000025ms 0
1 4 2400Gbps 0.000025ms 0
2 5 2400Gbps 0.000025ms 0
3 5 2400Gbps 0.000025ms 0
0 6 400Gbps 0.0005ms 0
1 6 400Gbps 0.0005ms 0
2 6 400Gbps 0.0005ms 0
3 6 400Gbps 0.0005ms 0.001
"""

HPCC_TOPOLOGY = "3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbps 0.001ms 1e-6\n"

JSON_TOPOLOGY = """{"name": "two", "nodes": [
{"name": "h0", "kind": "host", "server": 0}, {"name": "h1", "kind": "host", "server": 0},
{"name": "nv", "kind": "nvswitch", "server": 0}, {"name": "leaf", "kind": "switch"}],
"links": [{"a": "h0", "b": "nv", "rate": "3600Gbps", "delay": "250ns", "nvlink": true},
{"a": "h1", "b": "nv", "rate": "3600Gbps", "delay": "250ns"},
{"a": "h0", "b": "leaf", "rate": "400Gbps", "delay": "500ns", "count": 2},
{"a": "h1", "b": "leaf", "rate": "400Gbps", "delay": "500ns", "lossRate": 1e-6}]}
"""

HUGGING_FACE = (
    '{"model_type": "deepseek_v3", "num_hidden_layers": 4, "hidden_size": 64, "vocab_size": 1000,'
    '"num_attention_heads": 8, "num_key_value_heads": 8, "kv_lora_rank": 16, "q_lora_rank": null,'
    '"qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "intermediate_size": 128,'
    '"n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "n_group": 2,'
    '"topk_group": 1, "n_shared_experts": 1, "first_k_dense_replace": 1,'
    '"num_nextn_predict_layers": 1, "rope_scaling": {"original_max_position_embeddings": 64},'
    '"max_position_embeddings": 4096}',
    '{"text_config": {"model_type": "llama4_text", "num_hidden_layers": 4, "hidden_size": 64,'
    '"num_attention_heads": 8, "head_dim": 8, "vocab_size": 1000, "intermediate_size": 128,'
    '"layer_types": ["full_attention", "sliding_attention", "chunked_attention",'
    '"linear_attention"], "num_local_experts": 4, "moe_layers": [1, 3], "num_experts_per_tok": 1,'
    '"attention_chunk_size": 16, "sliding_window": 8, "time": [Infinity, NaN]}}',
    '{"model_type": "minicpm3", "architectures": ["ForCausalLM"], "num_hidden_layers": 2,'
    '"hidden_size": 64, "num_attention_heads": 8, "vocab_size": 1000, "intermediate_size": 128,'
    '"num_attention_groups": 1, "share_q_dim": 16, "word_embed_proj_dim": 32, "hidden_act": "gelu",'
    '"hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 500, "altup_num_inputs": 4,'
    '"laurel_rank": 4, "num_nextn_predict_layers": 1, "hybrid_layer_pattern": [0, 0, 0]}',
    '{"model_type": "nemotron_h", "num_hidden_layers": 5, "hybrid_override_pattern": "M-*EM",'
    '"hidden_size": 64, "num_attention_heads": 8, "head_dim": 8, "vocab_size": 1000, "n_groups": 2,'
    '"intermediate_size": 128, "ssm_state_size": 16, "mamba_num_heads": 4, "mamba_head_dim": 8,'
    '"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32, "conv_kernel": 4,'
    '"moe_latent_size": 16,'
    '"layers_block_type": ["mamba", "mlp", "attention", "moe", "mamba"]}',
    '{"model_type": "granitemoehybrid", "num_hidden_layers": 2, "hidden_size": 64, "vocab_size": 1000,'
    '"num_attention_heads": 8, "intermediate_size": 128, "layer_types": ["mamba", "attention"],'
    '"mamba_n_groups": 1, "mamba_d_state": 16, "mamba_n_heads": 4, "mamba_d_head": 8,'
    '"attn_layer_indices": [1], "mamba_d_conv": 4}',
    '{"model_type": "longcat_flash_ngram", "num_layers": 2, "hidden_size": 64, "vocab_size": 1000,'
    '"num_attention_heads": 8, "ffn_hidden_size": 128, "ngram_vocab_size_ratio": 3,'
    '"emb_neighbor_num": 3, "emb_split_num": 2}',
    '{"model_type": "qwen3_next", "num_hidden_layers": 4, "hidden_size": 64, "vocab_size": 1000,'
    '"num_attention_heads": 8, "intermediate_size": 128, "full_attention_interval": 4,'
    '"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8,'
    '"linear_value_head_dim": 8, "linear_conv_kernel_dim": 4, "linear_attn_config": {"num_heads": 2,'
    '"head_dim": 8, "use_full_rank_gate": true, "full_attn_layers": [4]}}',
)

TEXTS = {
    "layer-file": [LAYERS, LAYERS.replace("HYBRID_TRANSFORMER", "DATA", 1)],
    "op-table": [TABLE],
    "goal-text": [GOAL],
    "accelerator": [
        '{"accelerator": "h100", "name": "mine", "launchLatency": "2us", "combination": "max"}',
        '{"matrixFlops": {"bf16": 1e15, "fp8": 2e15}, "vectorFlops": 6e13, "memory": "80GiB",'
        '"memoryBandwidth": "3350GB/s", "communicationShare": {"server": 0.1, "network": 0}, "multiprocessors": 9,'
        '"matrixEfficiency": [{"atLeast": 0, "share": 0.5}, {"atLeast": 1e9, "share": 0.8}]}',
        '{"accelerator": "a100", "source": "mine", "operators": {"products": {"bf16": {"launch":'
        '"2us", "share": 0.5, "memory": 0.8}}, "casts": {"memory": 0.6}, "experts": {"bf16":'
        '{"tileRows": 128}}, "attention": [{"kernel": "fa2", "headSize": 64, "forward": {"flops":'
        '1e14, "halfLength": 100}, "backward": {"flops": 1e14, "halfLength": 0}}], "memoryBound":'
        '{"norm": 0.5}, "launch": {"device": "1us", "host": "9us"}, "routing": {"token": "1ns"},'
        '"power": {"products": 0.9}}}',
    ],
    "pipeline-layout": ["Et*2|(t*2|)*34,t*3|(t*2|)*3,tL", "Et|m|L", "E|((t|)*2t|)*2,tL"],
    "hugging-face": list(HUGGING_FACE),
    "config": [
        '{"world": 8, "tp": 2, "pp": 2, "topology": "clos:oversubscription=2", "transport": "tcp"}',
        '{"fabric": "h100", "straggler": ["3:1.5", "4:2"], "nicRate": "100Gbps", "seed": 3,'
        '"collective": "all-reduce=tree/ll", "ns3::RdmaNic::MaxTrain": 4, "jitter": 0.1,'
        '"job": [{"file": "a.txt", "world": 8, "placement": "spread", "start": "1ms"}, "b.txt"]}',
    ],
    "network-config": [
        "CC_MODE 1\nRATE_AI 50Mb/s\nRP_TIMER 900\nEWMA_GAIN 0.00390625\nBUFFER_SIZE 32\nHAS_WIN 1\n"
        "KMAX_MAP 2 25000000000 400 100000000000 1600\nPMAX_MAP 1 25000000000 0.2\nLB_MODE 6\n"
    ],
    "astra-system": [
        '{"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 2,'
        '"preferred-dataset-splits": 4, "all-reduce-implementation": ["ring", "direct4"],'
        '"all-to-all-implementation": ["direct"], "local-mem-bw": 3350, "roofline-enabled": 1,'
        '"peak-perf": 900, "boost-mode": 0}',
    ],
    "yaml": [
        "a:\n- x: 1\n  y:\n    z: [2, 'b', {c: \"d\\n\"}]\n- - e\n  - 1.5e3\nb: |-\n  t\n  u\n# c\n",
        "---\n'k': ~\nl:\n  m: true # n\n  o: >\n    p\n",
    ],
    "arguments": [
        "--workload=a\n--world=8\n--linkDown=leaf0-spine0@1ms-2ms\n--logGops=1:2:3:4:5:6",
        "--model=llama3-8b\n--world=8\n--tp=8\n--fabric=a100\n--trace=0-3\n--timeSeries=10us\n"
        "--background=poisson:load=0.3\n--trafficClass=dp=3\n--stepTime=1s\n--files=ops.csv",
    ],
    "fabric": [
        '{"fabric": "h100", "nicRate": "200Gbps", "mtu": 4096, "ns3::RdmaNic::MaxTrain": 4}',
        '{"gpusPerServer": 8, "nvlinkDelay": "0ns", "collective": "all-reduce=ring", "cc": "swift"}',
    ],
    "reference": [
        "size_bytes,count,time_us,algbw_gbs,busbw_gbs,algorithm\n1024,256,10.5,1,2,ring\n",
        'time_us,size_bytes\n"1.5",2048\n3,4096\n',
        "# out-of-place\n[1,0]<stdout>: 1024 256 float sum -1 10.5 0.1 0.1 0 10 0.1 0.1 N/A\n",
        "2048 512 half 1.5e+06 0.1 0.1 0 10 0.1 0.1 0\n",
        '{"results": [{"size": 1024, "out_of_place": {"time": 10.5}}]}',
        "# Collective test starting: all_reduce_perf\n# Rank 0 Pid 1 on a device 0\n"
        "8 2 float sum -1 5 1 1 0 6 1 1 0\n# Collective test starting: all_gather_perf\n"
        "# Rank 0 Pid 2 on a device 0\n8 2 float none -1 7 1 1 0 8 1 1 0\n",
        '[{"name": "AllGather", "nodes": 1, "ranks": 2, "size": 8, "type": "float", "redop": "none", '
        '"inPlace": 0, "time": 5}, {"name": "AllReduce", "nodes": 1, "ranks": 2, "size": 8, '
        '"type": "float", "redop": "sum", "inPlace": 0, "time": 5}]',
    ],
    "job": ["world=8,tp=2,placement=0-7,start=1ms,name=a", "world=8,placement=random,jitter=0.1"],
    "topology-text": [SIMAI_TOPOLOGY, HPCC_TOPOLOGY],
    "topology-htsim": [
        "Nodes 8\nTiers 3\nPodsize 4\nTier 0\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 2\n"
        "Downlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 200\nRadix_Down 2\nRadix_Up 4\n"
        "Downlink_Latency_ns 1000\nBundle 1\nTier 2\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
        "Downlink_Latency_ns 1000\nBundle 2\nSwitch_Latency_ns 300\nOversubscribed 1\n"
    ],
    "topology-astra": [
        "# NPUs\ntopology: [ Ring, FullyConnected, Switch ]\nnpus_count: [ 2, 4, 2 ]\n"
        "bandwidth: [ 200.0, 12.5, 50 ]  # GB/s\nlatency: [ 50.0, 500, 2000.25 ]\n"
    ],
    "topology-infra": [
        "devices:\n- name: s\n  components:\n  - {name: xpu, count: 2, choice: xpu}\n"
        "  - {name: nic, count: 2, choice: nic}\n  - name: sw\n    count: 1\n    choice: switch\n"
        "  links:\n  - name: nvlink\n  edges:\n  - scheme: many2many\n    link: nvlink\n"
        "    ep1: {component: xpu}\n    ep2: {component: 'sw[0]'}\n  - scheme: one2one\n"
        "    link: nvlink\n    ep1: {component: 'xpu[0:2:1]'}\n    ep2: {component: nic}\n"
        "links:\n- name: eth\n  physical:\n    bandwidth: {choice: gigabits_per_second, "
        "gigabits_per_second: 100}\n    latency: {choice: us, us: 1.5}\ninstances:\n"
        "- {name: host, device: s, count: 2}\nedges:\n- scheme: many2many\n  link: eth\n"
        "  ep1: {instance: 'host[0]', component: nic}\n"
        "  ep2: {instance: 'host[1]', component: nic}\n",
        '{"devices": [{"name": "s", "components": [{"name": "xpu", "count": 2, "choice": "xpu"}],'
        '"links": [{"name": "a"}], "edges": [{"scheme": "many2many", "link": "a", "ep1": '
        '{"component": "xpu"}, "ep2": {"component": "xpu"}}]}], "instances": [{"name": "h",'
        '"device": "s", "count": 1}]}',
        "infrastructure:\n  devices:\n  - name: box\n    components:\n    - name: xpu\n"
        "      type: xpu\n    - name: sw\n      type: custom\n    links:\n    - name: nvlink\n"
        "    connections:\n    - xpu.0.nvlink.sw.0\n    - xpu.1.nvlink.sw.0\n  instances:\n"
        "  - name: nic\n    device: cx5\n  connections:\n  - box.0.xpu.0.pcie.nic.0.port.0\n",
    ],
    "topology-json": [JSON_TOPOLOGY],
    "topology-name": [
        "clos:hostsPerLeaf=8,oversubscription=2",
        "fat-tree:k=4",
        "rail:spines=2",
        "torus:shape=4x4",
        "ring",
        "dragonfly:groups=2",
        "rotor:hostsPerTor=4,rotors=2,slotTime=100us,darkTime=10us",
        "single-switch",
    ],
    "server": ["gpu0 gpu1+nic0 / gpu2+nic1 gpu3+nic2", "gpu0+gpu1+nic0+nic1"],
    "nccl-topology": [
        '<system version="1"><cpu numaid="0"><pci busid="ffff:ff:01.0" class="0x060400">'
        '<pci busid="0001:00:00.0" class="0x030200"><gpu dev="0" sm="90"><nvlink target="a"'
        ' count="18" tclass="0x068000"/></gpu></pci><pci busid="0101:00:00.0" class="0x020700">'
        '<nic><net name="mlx5_0" dev="0" speed="400000"/></nic></pci></pci></cpu></system>'
    ],
    "nccl-graph": [
        '<graphs version="1"><graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="24"'
        ' speedinter="24" typeintra="NVL" typeinter="PIX" samechannels="0"><channel>'
        '<net dev="0"/><gpu dev="1"/><gpu dev="0"/><net dev="0"/></channel></graph>'
        '<graph id="1" pattern="1" nchannels="1" speedintra="24" speedinter="12"><channel>'
        '<net dev="0"/><gpu dev="0"/><gpu dev="1"/><net dev="1"/></channel></graph></graphs>'
    ],
    "msccl": [
        '<algo proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce"'
        ' inplace="1">'
        + "".join(
            f'<gpu id="{gpu}" s_chunks="1"><tb id="0" send="{1 - gpu}" recv="{1 - gpu}" chan="0">'
            f'<step s="0" type="s" srcbuf="i" srcoff="{1 - gpu}" dstbuf="i" dstoff="0" cnt="1"'
            ' depid="-1" deps="-1" hasdep="1"/>'
            f'<step s="1" type="rrcs" srcbuf="i" srcoff="{gpu}" dstbuf="i" dstoff="{gpu}" cnt="1"'
            ' depid="0" deps="0" hasdep="0"/>'
            f'<step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="{1 - gpu}" cnt="1"'
            ' depid="-1" deps="-1" hasdep="0"/></tb></gpu>'
            for gpu in range(2)
        )
        + "</algo>"
    ],
    "mscclpp": [
        execution_plans.get_all_gather(2),
        execution_plans.put_all_gather(2, kind="port"),
        execution_plans.packet_all_reduce(2),
        execution_plans.packet_all_reduce(2, old=True),
        execution_plans.two_reduce(),
        execution_plans.two_reduce(old=True),
        execution_plans.semaphore_gather(),
        execution_plans.put_ring(3, old=True),
        switch_plans.switch_all_reduce(2, 2),
        switch_plans.old_switch_all_reduce(2),
        switch_plans.packet_all_gather(2),
        switch_plans.loop_gather(2, 1024, 512),
    ],
    "flows": ["src_rank,dst_rank,bytes,start_ns\n0,1,1000,0\n3,2,5,17\n"],
    "kineto": [
        '{"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 2, "pg_config": '
        '[{"pg_name": "0", "ranks": [0, 1]}]}, "traceEvents": ['
        '{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 5, "dur": 2,'
        ' "args": {"correlation": 9}}, {"ph": "X", "cat": "user_annotation", "name":'
        ' "nccl:send 0->1", "tid": 1, "ts": 4, "dur": 5, "args": {"Input Dims": [[8]],'
        ' "Input type": ["float"]}}, {"ph": "X", "cat": "kernel", "name":'
        ' "ncclDevKernel_SendRecv", "ts": 9, "dur": 3, "args": {"stream": 7, "correlation": 9}},'
        ' {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum", "ts": 20, "dur": 3,'
        ' "args": {"stream": 8, "Collective name": "allreduce", "In msg nelems": 10,'
        ' "dtype": "Half", "Group size": 2, "Process Group Name": "0"}},'
        ' {"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "tid": 1, "ts": 21,'
        ' "dur": 9, "args": {}}]}'
    ],
    "pytorch-et": [
        '{"schema": "1.1.0-chakra.0.0.4", "pid": 1, "nodes": [{"id": 3, "name":'
        ' "## process_group:init ##", "ctrl_deps": 2, "inputs": {"values": ["[{\\"pg_name\\":'
        ' \\"0\\", \\"ranks\\": [0, 1], \\"group_size\\": 2}]"], "shapes": [[]], "types":'
        ' ["String"]}}, {"id": 4, "name": "aten::mm", "ctrl_deps": 1, "inputs": {"values":'
        ' [[5, 6, 0, 32, 2, "cuda:0"], [7, 8, 0, 16, 2, "cuda:0"]], "shapes": [[4, 8], [8, 2]],'
        ' "types": ["Tensor(c10::Half)", "Tensor(c10::Half)"]}, "outputs": {"values":'
        ' [[9, 10, 0, 8, 2, "cuda:0"]], "shapes": [[4, 2]], "types": ["Tensor(c10::Half)"]},'
        ' "attrs": [{"name": "op_schema", "type": "string", "value":'
        ' "aten::mm(Tensor self, Tensor mat2) -> Tensor"}]}, {"id": 5, "name":'
        ' "record_param_comms", "ctrl_deps": 1, "inputs": {"values":'
        ' [[9, 10, 0, 8, 2, "cuda:0"], 3, ["0", ""], 1, "all_to_allv", [4, 0], [2, 2], 0, 1, 2],'
        ' "shapes": [[4, 2]], "types": ["Tensor(c10::Half)"]}, "outputs": {"values":'
        ' [[9, 10, 0, 8, 2, "cuda:0"]]}}, {"id": 6, "name": "record_param_comms", "ctrl_deps": 1,'
        ' "inputs": {"values": [3, ["", ""], 0, "wait", [], []]}}, {"id": 7, "name":'
        ' "aten::convolution_backward", "ctrl_deps": 1, "inputs": {"values":'
        ' [[9, 10, 0, 8, 2, "cuda:0"], [9, 10, 0, 8, 2, "cuda:0"], [1, 2, 0, 2, 2, "cuda:0"]],'
        ' "shapes": [[1, 2, 2, 2], [1, 1, 2, 4], [2, 1, 1, 1]]}, "attrs": [{"name": "op_schema",'
        ' "value": "(bool transposed) -> Tensor"}]}]}',
        '{"schema": "1.0.1", "pid": 1, "nodes": [{"name": "record_param_comms", "id": 7, "parent":'
        ' 2, "inputs": [[9, 10, 0, 8, 2, "cuda:0"], 3, 94594108284448, 0, "all_to_all", [], []],'
        ' "input_shapes": [[8]], "input_types": ["Tensor(long int)"], "outputs":'
        ' [[9, 10, 0, 8, 2, "cuda:0"]]}, {"name": "aten::_scaled_dot_product_flash_attention",'
        ' "id": 8, "parent": 2, "op_schema": "(Tensor q, bool is_causal) -> Tensor", "inputs":'
        ' [[1, 2, 0, 8, 2, "cuda:0"], [1, 2, 0, 8, 2, "cuda:0"], [1, 2, 0, 8, 2, "cuda:0"]],'
        ' "input_shapes": [[1, 2, 2, 2], [1, 2, 2, 2], [1, 2, 2, 2]], "input_types":'
        ' ["Tensor(c10::BFloat16)"]}]}',
    ],
    "chakra-json": [
        '{"version": "0.0.4"}{"name": "work", "type": "COMP_NODE", "durationMicros": "7"}\n'
        '{"id": "5", "name": "reduce", "type": "COMM_COLL_NODE", "dataDeps": ["0"], "attr":'
        ' [{"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "uint64Val": "1000"}]}',
        '[{"id": 1, "name": "groups", "type": "METADATA_NODE", "inputs": {"values":'
        ' "[{\'pg_name\': \'1\', \'ranks\': [0]}]"}}, {"id": 2, "type": 5, "ctrl_deps": [1], "attr":'
        ' [{"name": "comm_dst", "int32_val": 0}, {"name": "list", "stringList": {"values":'
        ' ["a"]}}]}]',
        '{"workload_graph": [{"Id": 216, "Name": "a", "NodeType": 4, "runtime": 3, "data_deps": [],'
        ' "is_cpu_op": true}]}',
    ],
    "flow-list": [
        "2\n0 1 3 100 2000 2.0\n1 2 3 100 5000 2.000001\n",
        "1\n0 1 3 2000 0.5\n",
        "Nodes 3\nConnections 3\nTriggers 1\n0->1 id 1 start 0 size 100 send_done_trigger 1\n"
        "1->2 id 2 start 5 size 100 recv_done_trigger 1\n2->0 trigger 1 size 7\n"
        "trigger id 1 barrier count 2\n",
        "Nodes 2\nConnections 3\nTriggers 1\nFailures 1\n0->1 id 1 msg start 0.5 size 9\n"
        "0->1 id 1 msg 7 start 0 size 9 send_done_trigger 1\n1->0 trigger 1 size 7 prio 1\n"
        "trigger id 1 multishot\nfailure switch_type TOR switch_id 0 link_id 1\n",
        "3\n0 1 2\n",
    ],
    "flow-sizes": ["0 0\n1000 0.5\n100000 1\n", "10 0\n5000 100\n"],
    "background": [
        "poisson:load=0.5,sizes=web-search,hosts=0-7,start=1ms,until=2ms",
        "incast:load=0.1,bytes=500KB,senders=4,receiver=3,transport=tcp",
        "permutation:load=0.3,bytes=1MiB",
    ],
    "circuits": [
        '{"darkTime": "10us", "changes": [{"time": "0us", "down": ["leaf0-spine0"]},'
        '{"time": "1ms", "up": ["leaf0-spine0"], "down": ["leaf1-spine0"]}]}'
    ],
    "chakra-groups": ['{"1": [0, 1, 2], "2.0": [3], "tp": []}', '{"0": [4, 5], "1.0": [15, 0]}'],
    "pinned-routes": [
        "# source destination : switches\nhost0 host8 : leaf0 spine1 leaf1\n",
        "host0 host8 3 : leaf0 spine0 leaf1\nhost1 host2 : leaf0\n",
    ],
    "frame": ["0" * 64, "".join(map(chr, range(64)))],
}

# By target, files of the examples; of long ones the first lines.
FILES = {
    "layer-file": ["workloads/layers-512gpu-tp8-pp4.simai.txt"],
    "rank-trace": ["workloads/*.megatron.txt"],
    "op-table": ["workloads/*.tsv"],
    "goal-text": ["workloads/*.goal"],
    "model": ["models/*.json", "workloads/*.json"],
    "operator-times": ["models/*.tsv"],
}
LONGEST = 6000  # bytes, of an example

# By target, files of SHARED.
SHARED = {
    "layer-file": ["workloads/**/*.txt"],
    "rank-trace": ["traces/**/*.txt"],
    "chakra": ["chakra/**/*.et"],
    "goal-text": ["goal/**/*.goal"],
    "goal-binary": ["goal/**/*.bin"],
    "msccl": ["files/msccl/*.xml"],
    "mscclpp": ["files/msccl/*.json"],
}

# What breaks readers of numbers.
NUMBERS = ["0", "-1", "1e308", "1e-308", "nan", "inf", "0x10", "18446744073709551615"]
NUMBERS += ["18446744073709551616", "9223372036854775808", "4294967295", "4294967296", "1e19"]


def goal_binary():
    """A send of rank 0 after a computation, and its receive: LogGOPSim's form."""

    def record(kind, peer, size, before, after):
        edges = (1, 0, 0, 0) if after else (0, 0, 0, 0)
        return struct.pack("<IbIQIBB4I", before, kind, peer, size, 7, 0, 0, *edges)

    first = struct.pack("<3I", 2, 1, 0) + record(3, 0, 100, 0, True) + record(1, 1, 4096, 1, False)
    first += struct.pack("<I", 1)
    second = struct.pack("<3I", 1, 1, 0) + record(2, 0, 4096, 0, False)
    begin = 6 + 2 * 16
    parts = [(begin, begin + len(first)), (begin + len(first), begin + len(first) + len(second))]
    table = b"".join(struct.pack("<QQ", *part) for part in parts)
    return struct.pack("<QIBB", 4223, 2, 0, 0) + table + first + second


def chakra_traces(program):
    """Traces of small workloads, as the program exports them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("table", TABLE), ("layers", LAYERS), ("goal", GOAL)):
            file = os.path.join(folder, name)
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
            subprocess.run(
                [program, f"--workload={file}", f"--exportChakra={folder}/{name}"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=False,
            )
        traces = []
        for path in sorted(glob.glob(os.path.join(folder, "*.[01].et"))):
            with open(path, "rb") as file:
                traces.append(file.read())
    if not traces:
        sys.exit(f"seeds.py: {program} has exported no Chakra traces")
    return traces


def read_examples(target):
    for pattern in FILES.get(target, []):
        for path in sorted(glob.glob(os.path.join(EXAMPLES, pattern))):
            with open(path, "rb") as file:
                content = file.read()
            if len(content) > LONGEST:
                content = content[: content.rfind(b"\n", 0, LONGEST) + 1] or content[:LONGEST]
            yield content


def read_shared(target, shared):
    for pattern in SHARED.get(target, []):
        for path in sorted(glob.glob(os.path.join(shared, pattern), recursive=True)):
            if os.path.isfile(path) and os.path.getsize(path) <= LARGEST_SHARED:
                with open(path, "rb") as file:
                    yield file.read()


def collect(program, shared):
    seeds = {target: [text.encode("latin-1") for text in texts] for target, texts in TEXTS.items()}
    seeds["goal-binary"] = [goal_binary()]
    seeds["chakra"] = chakra_traces(program)
    for target in sorted(set(FILES) | set(SHARED)):
        seeds.setdefault(target, []).extend(read_examples(target))
        if shared:
            seeds[target].extend(read_shared(target, shared))
    seeds["chakra-gzip"] = [gzip.compress(trace, mtime=0) for trace in seeds["chakra"]]
    return seeds


def words():
    """The strings in the sources of what reads: keys, values, names of ops and of options."""
    found = set(NUMBERS)
    for pattern in ("model/input/*.cc", "model/workload/*.cc", "model/topology/*.cc"):
        found |= words_of(pattern)
    return sorted(found | words_of("helper/program/*.cc"))


def words_of(pattern):
    found = set()
    for path in glob.glob(os.path.join(MODULE, pattern)):
        with open(path, encoding="utf-8") as file:
            found |= set(re.findall(r'"([A-Za-z0-9_:.=-]{2,40})"', file.read()))
    return found


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit("usage: seeds.py OUTPUT WL_REPLAY [SHARED]")
    output, program = sys.argv[1:3]
    for target, seeds in collect(program, sys.argv[3] if len(sys.argv) > 3 else None).items():
        folder = os.path.join(output, target)
        os.makedirs(folder, exist_ok=True)
        for number, seed in enumerate(seeds):
            with open(os.path.join(folder, f"seed-{number}"), "wb") as file:
                file.write(seed)
    with open(os.path.join(output, "dictionary"), "w", encoding="utf-8") as file:
        file.writelines(f'"{word}"\n' for word in words())


if __name__ == "__main__":
    main()
