import type { Flow } from "../../measures/flow.ts";
import type { Worker } from "../../worker.ts";
import type { FromPublisher, ToPublisher } from "../../workers/publisher.ts";

/** Publishes messages directly; the caller says how finished ones are counted. */
export function openPublisherFlow(
  publisher: Worker<ToPublisher, FromPublisher>,
  request: Omit<Extract<ToPublisher, { kind: "flow" }>, "kind"> & Pick<Flow, "done" | "close">,
): Flow {
  const { what, inFlight, books, done, close } = request;
  return {
    start: () => publisher.send({ kind: "flow", what, inFlight, books }),
    halt: async () => {
      const halted = publisher.answer("halting", (message) =>
        message.kind === "halted" ? message : undefined,
      );
      publisher.send({ kind: "halt" });
      const { published, failures } = await halted;
      if (failures.length > 0)
        throw new Error(`${String(failures.length)} envelopes failed; the first: ${failures[0] ?? ""}`);
      return published;
    },
    done,
    close,
  };
}
