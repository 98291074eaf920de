"""What estimates assume, and what recommendations say of options, in Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SENTENCES: Final[Mapping[str, str]] = {
    # bot/recommend/ladder.py
    "the frozen base takes 2 bytes a parameter instead of 4; costs no time": (
        "冻结的基座每个参数占 2 字节而不是 4 字节；不耗时间"
    ),
    "leaves more beside the engine; a smaller cache generates more slowly": (
        "为引擎之外留出更多显存；缓存较小，生成较慢"
    ),
    "weights and gradients are shared out too; gathered again in every layer": (
        "权重和梯度也分片存放；每一层都要重新聚合"
    ),
    "trained states leave the GPU while the engine generates; two copies a step": (
        "引擎生成时训练状态移出显存；每步拷贝两次"
    ),
    "activations are made again in the backward pass; a third more compute": (
        "反向传播时重新计算激活值；计算量多三分之一"
    ),
    "the reference's weights wait on the host; copied for each pass": (
        "参考模型的权重放在主机内存；每次前向都要拷贝"
    ),
    "fewer tokens a pass; more passes": "每次前向的 token 更少；次数更多",
    "states wait on the host between updates; copied over PCIe in every step": (
        "两次更新之间状态放在主机内存；每步经 PCIe 拷贝"
    ),
    "the engine's weights are shared out; its GPUs talk in every layer": (
        "引擎的权重分片存放；各 GPU 每层都要通信"
    ),
    "each sequence is shared out; its GPUs talk in every layer": (
        "每条序列分给多块 GPU；各 GPU 每层都要通信"
    ),
    # bot/memory/settings.py, bot/memory/read_*.py
    "{framework} {release} profile": "按 {framework} {release} 的实现",
    "mean sequence {tokens} tokens, a quarter of the maximum (no run given)": (
        "序列平均 {tokens} 个 token，取上限的四分之一（未给出运行）"
    ),
    (
        "mean response {response} tokens and mean prompt {prompt}, a quarter of the maxima "
        "(no run given)"
    ): "回复平均 {response} 个 token、提示平均 {prompt} 个，取上限的四分之一（未给出运行）",
    "batches with a sample of max_len ({tokens} tokens)": (
        "每个批次中有一条达到 max_len 的样本（{tokens} 个 token）"
    ),
    "the reward model's own GPUs are not part of the estimate": "估算不含奖励模型独占的 GPU",
    # bot/recommend/answer.py
    "No page is here; --page PAGE names one, whose rows come first.": (
        "此处没有页面；用 --page PAGE 指定后，其中的行会列在最前。"
    ),
    "The page has no row for {task} of {model}.": "页面中没有 {model} 的 {task} 行。",
    (
        "A step of {batch} cannot be shared out over {gpus} GPUs; these were left out. "
        "--batch {near} can be."
    ): "一步的 {batch} 条序列无法平均分给 {gpus} 块 GPU；已略去这些数目。--batch {near} 则可以。",
    "The least GPUs of each device; --device shows more of them with fewer options.": (
        "每种设备只列出最少的 GPU 数；用 --device 可看到更多 GPU、更少选项的配置。"
    ),
    "More GPUs would do: {hardware}; --budget-gpus {gpus} shows the settings.": (
        "更多 GPU 即可：{hardware}；用 --budget-gpus {gpus} 查看配置。"
    ),
}
