import { parseArgs } from "node:util";

const usual = [
  "orders",
  "latency",
  "fairness",
  "webhooks",
  "ledger",
  "ledger-fsync",
  "idle",
  "start",
] as const;
/** Groups that take minutes each, and run only when they are named. */
const long = [
  "ledger-instances",
  "ledger-growth",
  "orders-growth",
  "memory",
  "sandbox",
  "webhooks-neighbours",
  "webhooks-replay",
  "dashboard",
] as const;
/** The groups that compare two trees, unless --only names others. */
const compared = ["orders", "latency", "ledger"] as const;
const groups = [...usual, ...long];
/** Rows that are measured together. */
export type Group = (typeof groups)[number];

export interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Orders between their POST and the acknowledged webhook at any moment of the throughput row. */
  readonly inFlight: number;
  /** How long the memory row keeps the services busy. */
  readonly minutes: number;
  /** The event types of the orders' endpoint. By default only the webhook for Completed. */
  readonly eventTypes: readonly string[];
  /** Orders per second of the latency rows; half of the capacity that the run measured when omitted. */
  readonly pace: number | undefined;
  readonly only: ReadonlySet<Group>;
  /** A commit to measure by turns with this tree. */
  readonly against: string | undefined;
  /** The folder for CPU profiles and statement times. Profiling costs a few per cent, so don't keep the figures. */
  readonly profileDir: string | undefined;
}

/** Parses the command line. Throws an error that names the mistake and the valid options. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "5" },
      seconds: { type: "string", default: "6" },
      // V8 compiles during the first minute of load. Rounds that start earlier measure that, too.
      "warm-up": { type: "string", default: "60" },
      "in-flight": { type: "string", default: "256" },
      events: { type: "string", default: "payment_order.completed" },
      pace: { type: "string" },
      minutes: { type: "string", default: "60" },
      only: { type: "string" },
      against: { type: "string" },
      profile: { type: "string" },
    },
  });
  const only = values.only ?? (values.against === undefined ? usual : compared).join();
  return {
    rounds: wholeNumber("rounds", values.rounds, 1, 50),
    seconds: wholeNumber("seconds", values.seconds, 1, 120),
    warmUpSeconds: wholeNumber("warm-up", values["warm-up"], 0, 120),
    inFlight: wholeNumber("in-flight", values["in-flight"], 1, 5_000),
    minutes: wholeNumber("minutes", values.minutes, 1, 1_440),
    eventTypes: values.events.split(","),
    pace: values.pace === undefined ? undefined : wholeNumber("pace", values.pace, 1, 5_000),
    only: new Set(only.split(",").map(groupOf)),
    against: values.against,
    profileDir: values.profile,
  };
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new Error(`--${name} ${text}: a whole number from ${String(min)} to ${String(max)}`);
}

function groupOf(text: string): Group {
  const group = groups.find((name) => name === text);
  if (group === undefined) throw new Error(`--only ${text}: there are ${groups.join(", ")}`);
  return group;
}
