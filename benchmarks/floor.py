"""The floor: the openai client reads typed streams from the stub, without the product.

The difference between the product's figures and these is the product's own cost. All streams are in
one process, as in an application.

    python -m benchmarks.floor --base-url http://127.0.0.1:9000/v1 --model stub-r50-n250 \\
        --tokens 250 --streams 50
"""

import argparse
import asyncio

import openai
from openai import AsyncOpenAI

from benchmarks.figures import Figures, Outcome
from benchmarks.measuring import Plan, Turn, measure, read_plan, report
from benchmarks.stub.text import now_us
from benchmarks.tokens import TokenTally


def turn_of(client: AsyncOpenAI, model: str, tokens: int) -> Turn:
    """A function that runs one turn and takes its timeout in seconds."""

    async def turn(timeout: float) -> Outcome:
        outcome = Outcome(TokenTally(tokens), began_us=now_us())
        try:
            async with asyncio.timeout(timeout):
                await _stream(client, model, outcome)
        except (TimeoutError, openai.OpenAIError) as error:
            outcome.error = repr(error)
        return outcome

    return turn


async def _stream(client: AsyncOpenAI, model: str, outcome: Outcome) -> None:
    stream = await client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": "Please count."}], stream=True
    )
    async for chunk in stream:
        text = chunk.choices[0].delta.content if chunk.choices else None
        if not text:
            continue
        received_us = now_us()
        if outcome.first_token_us is None:
            outcome.first_token_us = received_us - outcome.began_us
        outcome.tally.feed(text, received_us)


async def floor(base_url: str, model: str, plan: Plan) -> Figures:
    """The figures of `plan.streams` streams of one client."""
    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:
        return await measure(plan, [turn_of(client, model, plan.tokens)] * plan.streams)


def main() -> None:
    parser = argparse.ArgumentParser(description="The openai client straight to the stub.")
    parser.add_argument("--base-url", required=True, help="of the stub, with /v1")
    parser.add_argument("--model", required=True, help="the model's name")
    options, plan = read_plan(parser)
    report(floor(options.base_url, options.model, plan))


if __name__ == "__main__":
    main()
