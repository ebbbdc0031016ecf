import type { ServerResponse } from "node:http";
import type { OnModuleDestroy } from "@nestjs/common";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { LiveEvents } from "./live-events.ts";
import { MergedChanges, type Update } from "./merged-changes.ts";

/** Proxies close a connection on which nothing was sent for a while; most wait for at least 30 s. */
const heartbeatMs = 15_000;
const maxPerPerson = 5;
/** How long a reader has for the rest of an ended stream. One that does not read would keep its connection open. */
const restWithinMs = 1_000;

/** Whose stream it is: both are checked again while it is open. */
export interface StreamOwner {
  readonly person: string;
  readonly book: BookId;
  /** False as soon as the session has ended or lost its book. */
  isStillSignedIn(): Promise<boolean>;
}

interface OpenStream {
  readonly owner: StreamOwner;
  readonly response: ServerResponse;
}

/** The streams of one book: its changes are merged and written as text once for all of them. */
interface BookStreams {
  readonly streams: Set<OpenStream>;
  readonly stop: () => void;
}

const resync = "event: resync\ndata: {}\n\n";

/** The streams of this instance (Server-Sent Events), each ended with its session and with the process. */
export class OpenStreams implements OnModuleDestroy {
  readonly #live: LiveEvents;
  readonly #books = new Map<BookId, BookStreams>();
  #isStopping = false;

  constructor(live: LiveEvents) {
    this.#live = live;
  }

  /** Refusals: `rate_limited` for a sixth stream of one person; `service_unavailable` while the process stops. */
  open(owner: StreamOwner, response: ServerResponse): void {
    if (this.#isStopping)
      throw new Refusal("service_unavailable", "Open it again: another instance answers.");
    const ofPerson = this.#all().filter((stream) => stream.owner.person === owner.person);
    if (ofPerson.length >= maxPerPerson) {
      throw new Refusal("rate_limited", "Close another window: a person may have five open streams.");
    }
    response.writeHead(200, {
      "content-type": "text/event-stream",
      // A proxy that collects what it passes on would hold changes back.
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    });
    // Whatever the screen read before this moment may have changed since.
    response.write(resync);
    const stream: OpenStream = { owner, response };
    const book = this.#books.get(owner.book) ?? this.#watch(owner.book);
    book.streams.add(stream);
    response.on("error", () => response.destroy());
    const heartbeat = setInterval(() => {
      write(response, ":\n\n");
      void endIfOver(stream);
    }, heartbeatMs);
    response.once("close", () => {
      clearInterval(heartbeat);
      book.streams.delete(stream);
      if (book.streams.size > 0 || this.#books.get(owner.book) !== book) return;
      this.#books.delete(owner.book);
      book.stop();
    });
  }

  #watch(book: BookId): BookStreams {
    const streams = new Set<OpenStream>();
    const changes = new MergedChanges((update) => {
      const text = textOf(update);
      for (const { response } of streams) write(response, text);
    });
    const unwatch = this.#live.watch(book, {
      changed: (change) => changes.add(change),
      resync: () => changes.resync(),
    });
    const stop = () => {
      unwatch();
      changes.close();
    };
    const watched = { streams, stop };
    this.#books.set(book, watched);
    return watched;
  }

  #all(): OpenStream[] {
    return [...this.#books.values()].flatMap(({ streams }) => [...streams]);
  }

  async closeStreamsOfEndedSessions(): Promise<void> {
    await Promise.all(this.#all().map(endIfOver));
  }

  /** Before the server stops listening: an open stream would hold up the stop. */
  onModuleDestroy(): void {
    this.#isStopping = true;
    this.endAll();
  }

  endAll(): void {
    for (const { response } of this.#all()) end(response);
  }
}

/** A database that is away ends nothing: it also answers nobody, and the next heartbeat looks again. */
async function endIfOver({ owner, response }: OpenStream): Promise<void> {
  const isSignedIn = await owner.isStillSignedIn().catch(() => true);
  if (!isSignedIn) end(response);
}

function end(response: ServerResponse): void {
  response.end();
  setTimeout(() => response.destroy(), restWithinMs).unref();
}

function textOf(update: Update): string {
  return update === "resync"
    ? resync
    : update.changes.map((change) => `event: changed\ndata: ${JSON.stringify(change)}\n\n`).join("");
}

/** A reader that is slower than its changes gets one `resync` when it can read again, instead of a growing queue. */
function write(response: ServerResponse, text: string): void {
  if (response.writableEnded) return; // ended, but it still waits for its reader
  if (!response.writableNeedDrain) response.write(text);
  else if (response.listenerCount("drain") === 0) response.once("drain", () => write(response, resync));
}
