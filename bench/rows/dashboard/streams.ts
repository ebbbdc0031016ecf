/** What an order costs while 40 people follow its book on 200 open screens, against the same orders unwatched. */
import { Agent, request } from "undici";
import { sumOf, withoutLoad } from "../../measures/cpu.ts";
import { gatewayOf } from "../../endpoints.ts";
import { measureFlow } from "../../measures/flow.ts";
import { type Contender, type Figure, interleave } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { bounded, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { openOrderFlow } from "../orders.ts";
import { invite, signIn } from "./people.ts";

const people = 40;
const streamsEach = 5;
const goal = 3;

export async function measureStreams(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const seats = await Promise.all(
    Array.from({ length: people }, async (_, number) =>
      signIn(stage, await invite(stage, stage.tenant, `watcher-${String(number)}`, ["Viewer"])),
    ),
  );
  let written = 0;
  const orders = (name: string, watched: boolean): Contender => ({
    name,
    run: async (seconds) => {
      const streams = watched ? await openStreams(stage, seats, () => (written += 1)) : undefined;
      try {
        return await measureFlow(openOrderFlow(stage, options.inFlight), stage.meter, seconds);
      } finally {
        await streams?.destroy();
      }
    },
  });
  const contenders = [orders("watched on 200 screens", true), orders("not watched", false)];
  if (options.warmUpSeconds > 0) await contenders[1]?.run(options.warmUpSeconds);
  const [watched, alone] = await interleave(contenders, options, log);
  if (watched === undefined || alone === undefined) throw new Error("a contender is missing");
  const more = (cpuOf(watched) / cpuOf(alone) - 1) * 100;
  const parts = `${cpuOf(watched).toFixed(0)} and ${cpuOf(alone).toFixed(0)} µs of CPU an order, of the gateway ${gatewayCpu(watched)} and ${gatewayCpu(alone)}; ${String(written)} writes arrived`;
  if (written === 0) throw new Error("no stream said anything");
  return [
    bounded("CPU an order more with 200 open streams", more, { floor: goal, goal, unit: "%" }, [parts]),
  ];
}

const cpuOf = ({ cpuPerOperation }: Figure) => sumOf(withoutLoad(cpuPerOperation));

const gatewayCpu = ({ cpuPerOperation }: Figure) => (cpuPerOperation["gateway"] ?? 0).toFixed(0);

/** Opens five streams for each seat, and reads whatever they say. */
async function openStreams(
  stage: Stage,
  seats: readonly Record<string, string>[],
  onText: () => void,
): Promise<Agent> {
  const agent = new Agent({ connections: people * streamsEach, bodyTimeout: 0, pipelining: 1 });
  await Promise.all(
    seats
      .flatMap((headers) => Array.from({ length: streamsEach }, () => headers))
      .map(async (headers) => {
        const { statusCode, body } = await request(`${gatewayOf(stage)}/v1/stream`, {
          dispatcher: agent,
          headers,
        });
        if (statusCode !== 200) throw new Error(`a stream: ${await body.text()}`);
        body.on("data", onText).on("error", () => undefined);
      }),
  );
  return agent;
}
