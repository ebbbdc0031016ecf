/** A child process that generates load, so that its CPU is its own. */
import { fork } from "node:child_process";
import { once } from "node:events";

export interface Worker<In, Out> {
  readonly pid: number;
  /** Does nothing after the worker has ended: the next `answer` says so. */
  send(message: In): void;
  /** Calls `take` with every message until the returned function is called. */
  on(take: (message: Out) => void): () => void;
  /** Resolves with the first result of `pick` that is defined. Throws after the deadline, or when the worker ended. */
  answer<T>(what: string, pick: (message: Out) => T | undefined, withinMs?: number): Promise<T>;
  stop(): Promise<void>;
}

/** Starts `workers/<name>.ts`; it ends when this process ends. */
export function startWorker<In extends object, Out>(name: string, file: URL): Worker<In, Out> {
  const child = fork(file, { stdio: ["ignore", "inherit", "inherit", "ipc"], execArgv: [] });
  // One that can't be started has no process id, and that is the error.
  child.on("error", () => undefined);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const takers = new Set<(message: Out) => void>();
  child.on("message", (message) => {
    for (const take of takers) take(message as Out);
  });
  const on = (take: (message: Out) => void) => {
    takers.add(take);
    return () => void takers.delete(take);
  };
  if (child.pid === undefined) throw new Error(`${name} has no process id`);
  return {
    pid: child.pid,
    // With a callback, a message that could not be sent is no error event, which would end the bench.
    send: (message) => void child.send(message, () => undefined),
    on,
    answer: (what, pick, withinMs = 60_000) =>
      new Promise((resolve, reject) => {
        const fail = (why: string) => {
          end();
          reject(new Error(`${name}, ${what}: ${why}`));
        };
        const late = setTimeout(() => fail(`no answer within ${String(withinMs)} ms`), withinMs);
        const ended = () => fail(`it has ended (${child.signalCode ?? String(child.exitCode)})`);
        const off = on((message) => {
          const picked = pick(message);
          if (picked === undefined) return;
          end();
          resolve(picked);
        });
        const end = () => {
          clearTimeout(late);
          off();
          child.off("exit", ended);
        };
        if (hasEnded()) ended();
        else child.once("exit", ended);
      }),
    async stop() {
      if (hasEnded()) return;
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** For the worker process: handles messages, and ends when its parent ends. */
export function serveParent<In, Out extends object>(
  take: (message: In, reply: (message: Out) => void) => void,
): void {
  process.on("disconnect", () => process.exit(0));
  process.on("message", (message) => take(message as In, sendToParent));
}

export function sendToParent(message: object): void {
  process.send?.(message);
}
