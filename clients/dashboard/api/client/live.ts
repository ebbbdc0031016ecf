/** Follows the book while the page is visible, and reads again what somebody else changed. */
import { notifyManager, type Query } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { mode } from "../../book.ts";
import { isOutOfDate, queryClient } from "./query-client.ts";
import { unattendedHeader } from "./unattended.ts";

/**
 * The first change is read at once, and further ones together after a pause. While the book does not rest, the pause
 * doubles: a busy book must not spend its limit on one screen.
 */
const firstPauseMs = 400;
const maxPauseMs = 3_200;
/** The server says something every 15 seconds. */
const maxSilenceMs = 40_000;
const firstRetryMs = 1_000;
const maxRetryMs = 15_000;

/** Since when no changes arrive, in ms since 1970. Null while they arrive. */
let silentSince: number | null = null;
/** When the stream last sent something. A hidden page has no stream, so this may be long ago. */
let lastReceivedAt = Date.now();
/** True while the gateway refuses this page's stream, because the person has too many. */
let isOneTooMany = false;
const listeners = new Set<() => void>();

function setSilent(since: number | null): void {
  if ((silentSince === null) === (since === null)) return;
  silentSince = since;
  for (const listener of listeners) listener();
}

function setOneTooMany(isRefused: boolean): void {
  if (isOneTooMany === isRefused) return;
  isOneTooMany = isRefused;
  for (const listener of listeners) listener();
}

/** True if nothing is away, but the person has more pages open than may follow the book. */
export function useIsOneTooMany(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOneTooMany,
  );
}

/** When the oldest of the shown answers was read, or the oldest of some of them. Null if there is none. */
function oldestShown(isMeant: (query: Query) => boolean = () => true): number | null {
  const shown = queryClient.getQueryCache().findAll({ type: "active" });
  const times = shown.filter(isMeant).map(({ state }) => state.dataUpdatedAt);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * Since when what is shown may be out of date, in ms since 1970; null while it is up to date. Deciding waits until it
 * is null.
 */
export function useAwaySince(): number | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      const unsubscribe = queryClient.getQueryCache().subscribe(notifyManager.batchCalls(listener));
      return () => {
        listeners.delete(listener);
        unsubscribe();
      };
    },
    // Else since the oldest answer whose service does not answer now.
    () => silentSince ?? oldestShown(isOutOfDate),
  );
}

let pause: ReturnType<typeof setTimeout> | undefined;
let hasChanged = false;

/** Reads again what is shown: at once, or when the pause is over. */
function readAgain(): void {
  hasChanged = true;
  if (pause === undefined) readThenPause(firstPauseMs);
}

function readThenPause(ms: number): void {
  hasChanged = false;
  readShownAgain();
  pause = setTimeout(() => {
    pause = undefined;
    if (hasChanged) readThenPause(Math.min(ms * 2, maxPauseMs));
  }, ms);
}

const readOnceMore = new Set<Query>();

/**
 * What is being read already may have been asked before the change, so it is read once more when it has ended. It is
 * not cancelled: on a busy book, an answer that takes longer than the pause would never be shown, and a service that
 * does not answer would never be noticed.
 */
function readShownAgain(): void {
  for (const query of queryClient.getQueryCache().findAll({ type: "active", fetchStatus: "fetching" })) {
    if (readOnceMore.has(query)) continue;
    readOnceMore.add(query);
    const readAgainNow = () => {
      readOnceMore.delete(query);
      void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: false });
    };
    query.promise?.then(readAgainNow, readAgainNow);
  }
  void queryClient.invalidateQueries({}, { cancelRefetch: false });
}

/** Follows the book until the signal. A hidden page does not, because a person may have only five streams. */
export async function followBook(signal: AbortSignal): Promise<void> {
  let retryMs = firstRetryMs;
  while (!signal.aborted) {
    if (document.visibilityState === "hidden") await once(document, "visibilitychange", signal);
    else {
      const stream = new AbortController();
      const hide = () => stream.abort();
      signal.addEventListener("abort", hide);
      document.addEventListener("visibilitychange", hide);
      const hasOpened = await readStream(stream);
      signal.removeEventListener("abort", hide);
      document.removeEventListener("visibilitychange", hide);
      if (!stream.signal.aborted) {
        // The session may have ended, too: reading shows which of the two it was.
        if (hasOpened) readAgain();
        setSilent(Math.max(lastReceivedAt, oldestShown() ?? 0));
        retryMs = hasOpened ? firstRetryMs : Math.min(retryMs * 2, maxRetryMs);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }
}

/** True if the stream was open before it ended. */
async function readStream(stream: AbortController): Promise<boolean> {
  let hasOpened = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  try {
    // A gateway that accepts the request and does not answer is away, too.
    const silent = new AbortController();
    silence = setTimeout(() => silent.abort(), maxSilenceMs);
    const { ok, body, status } = await fetch("/v1/stream", {
      headers: { "Quittance-Mode": mode, ...unattendedHeader() },
      signal: AbortSignal.any([stream.signal, silent.signal]),
    });
    setOneTooMany(status === 429);
    // The role or the session has ended. What was read when the last stream ended may be from just before that.
    if (status === 401 || status === 403) readAgain();
    if (!ok || body === null) return false;
    hasOpened = true;
    lastReceivedAt = Date.now();
    setSilent(null);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      clearTimeout(silence);
      silence = setTimeout(() => void reader.cancel(), maxSilenceMs);
      const { done, value } = await reader.read();
      if (done) return true;
      lastReceivedAt = Date.now();
      const blocks = (text + value).split("\n\n");
      text = blocks.pop() ?? "";
      if (blocks.some((block) => block.startsWith("event:"))) readAgain();
    }
  } catch {
    // Unreachable, or closed by us.
    return hasOpened;
  } finally {
    clearTimeout(silence);
  }
}

function once(target: EventTarget, type: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    target.addEventListener(type, () => resolve(), { once: true, signal });
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
