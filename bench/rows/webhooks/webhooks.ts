/** Deliveries per second from messages in the stream, compared with a bare undici Pool that signs. */
import type { BookId } from "../../../contracts/ids/ids.ts";
import { type Flow, measureFlow } from "../../measures/flow.ts";
import { type Contender, interleave, watch } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { compared, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { startWorker } from "../../worker.ts";
import type { FromBareWebhooks, ToBareWebhooks } from "../../workers/bare-webhooks.ts";
import { openPublisherFlow } from "./publisher-flow.ts";

/** The service's connections per endpoint (WEBHOOK_CONCURRENCY_PER_ENDPOINT). */
const connections = 32;
const messagesInFlight = 2_000;

export async function measureWebhooks(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const worker = startWorker<ToBareWebhooks, FromBareWebhooks>(
    "bare webhooks",
    new URL("../../workers/bare-webhooks.ts", import.meta.url),
  );
  try {
    const meter = stage.meter.with("bare webhooks", worker.pid);
    const bare: Contender = {
      name: "bare undici Pool + HMAC",
      run: async (seconds) => {
        let operations = 0;
        const measured = await watch(
          meter,
          () => operations,
          async () => {
            const { origin, pathname: path } = stage.receiverUrl;
            worker.send({ kind: "run", origin, path, connections, seconds });
            operations = await worker.answer(
              "a round",
              (message) => message.operations,
              (seconds + 60) * 1_000,
            );
          },
        );
        return { ...measured, seconds };
      },
    };
    const ours: Contender = {
      name: "webhook deliveries",
      run: (seconds) => measureFlow(openDeliveryFlow(stage), stage.meter, seconds),
    };
    await ours.run(Math.max(1, Math.round(options.warmUpSeconds / 3)));
    const [figure, baseline] = await interleave([ours, bare], options, log);
    if (figure === undefined || baseline === undefined) throw new Error("a contender is missing");
    const what = "Webhook deliveries/s, HMAC and attempt rows included";
    return [compared(figure, baseline, { what, floor: 0.33, goal: 0.5 })];
  } finally {
    await worker.stop();
  }
}

function openDeliveryFlow(stage: Stage): Flow {
  const { receiver, publisher, tenant } = stage;
  let done = 0;
  receiver.send({ kind: "count", what: "deliveries" });
  const off = receiver.on((message) => {
    if (message.kind !== "acknowledged") return;
    done += message.count;
    publisher.send({ kind: "credit", count: message.count });
  });
  return openPublisherFlow(publisher, {
    what: "status changes",
    inFlight: messagesInFlight,
    books: [{ book: tenant.tenant.testBook as BookId, tenantId: tenant.tenant.id, accountIds: [] }],
    done: () => done,
    close: off,
  });
}
