import { afterAll } from "vitest";

type Closable = { close(): unknown } | { stop(): unknown } | { drop(): unknown } | { end(): unknown };

/** What all tests of a file share. It is closed after the last test; what was opened last is closed first. */
export async function forThisFile<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  afterAll(async () => {
    if ("close" in opened) await opened.close();
    else if ("stop" in opened) await opened.stop();
    else if ("drop" in opened) await opened.drop();
    else await opened.end();
  });
  return opened;
}
