import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";

/**
 * Ends the process once its connection to NATS is closed for good, so that the orchestrator starts it again. The client
 * reconnects without limit, but gives up after NATS has refused its log-in twice, which can happen while NATS'
 * configuration is replaced. What is under way is repeated, as after a kill.
 */
export async function exitWhenClosed(
  nats: Pick<NatsConnection, "closed">,
  log: Pick<Logger, "fatal">,
  isStopping: () => boolean,
  exit: (code: number) => void = (code) => process.exit(code),
): Promise<void> {
  const error = await nats.closed();
  if (isStopping()) return;
  log.fatal(
    { err: error },
    "the connection to NATS is closed for good; the process ends, and the orchestrator starts it again",
  );
  exit(1);
}
