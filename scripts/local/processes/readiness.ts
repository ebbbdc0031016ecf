/** Checks whether a server answers, in its own protocol, without a driver. */
import { type Socket, connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { LOOPBACK } from "./ports.ts";
import type { Child } from "./processes.ts";

export interface ReadinessQuestion {
  child: Child;
  /** Resolves to true once the server serves. */
  answers: () => Promise<boolean>;
  deadlineMs: number;
}

const ASK_EVERY_MS = 25;
const ANSWER_WITHIN_MS = 2_000;

/** The server ended, or did not answer in time; the message carries the last lines it printed. */
export class NotReadyError extends Error {
  override readonly name = "NotReadyError";
}

/** Resolves when the server answers; throws NotReadyError when it ends first or the deadline passes. */
export async function waitUntilReady({ child, answers, deadlineMs }: ReadinessQuestion): Promise<void> {
  const deadline = Date.now() + deadlineMs;
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  while (!(await answers())) {
    if (ended) throw notReady(child, "ended before it was ready");
    if (Date.now() > deadline) throw notReady(child, `did not answer within ${deadlineMs} ms`);
    await delay(ASK_EVERY_MS);
  }
}

function notReady(child: Child, what: string): NotReadyError {
  return new NotReadyError(`${child.name} ${what}:\n${child.lastLines().join("\n")}`);
}

/**
 * Whether Postgres accepts sessions. It answers a start-up message with `R` (authentication) when it
 * does and with `E` (57P03) while it still recovers. Source: PostgreSQL protocol 3.0, "Start-up".
 */
export function postgresAnswers(port: number): Promise<boolean> {
  const parameters = Buffer.from("user\0postgres\0database\0postgres\0\0");
  const header = Buffer.alloc(8);
  header.writeInt32BE(header.length + parameters.length, 0);
  header.writeInt32BE(3 << 16, 4);
  return firstBytes(port, (socket) => socket.write(Buffer.concat([header, parameters]))).then(
    (bytes) => bytes.at(0) === "R".charCodeAt(0),
  );
}

/** Whether nats-server serves clients, JetStream included: it greets every connection with `INFO {…}`. */
export async function natsAnswers(port: number): Promise<boolean> {
  const greeting = (await firstBytes(port)).toString("utf8");
  return greeting.startsWith("INFO ");
}

/** What the server sends first on a new connection; empty when nobody listens or nothing arrives in time. */
function firstBytes(port: number, afterConnect?: (socket: Socket) => void): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    const finish = (bytes: Buffer) => {
      socket.destroy();
      resolve(bytes);
    };
    socket.setTimeout(ANSWER_WITHIN_MS, () => finish(Buffer.alloc(0)));
    socket.once("connect", () => afterConnect?.(socket));
    socket.once("data", finish);
    // Refused or reset means that the server is not ready yet; the caller has the deadline.
    socket.once("error", () => finish(Buffer.alloc(0)));
    socket.once("close", () => finish(Buffer.alloc(0)));
  });
}
