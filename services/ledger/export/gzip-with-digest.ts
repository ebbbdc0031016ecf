import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

// Gzip can be changed without changing what it holds (a match may point at either of two equal places; the header holds
// a time). So behind the packed export stands a second, empty member whose comment is the SHA-256 of all bytes before:
// every tool unpacks the file as ever, and a verifier sees each byte of it.

const chunkBytes = 1024 * 1024;
const header = Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff]);
const nothingPacked = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const trailerBytes = header.length + 65 + nothingPacked.length;

function trailerOf(hash: Hash): Buffer {
  return Buffer.concat([header, Buffer.from(`${hash.digest("hex")}\0`), nothingPacked]);
}

/** A packed file that can't be what the export wrote. */
export class GzipFileChanged extends Error {
  override readonly name = "GzipFileChanged";
}

/** Packs an export's text, quickly rather than small. */
export async function* gzipWithDigest(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const gzip = createGzip({ level: 1, chunkSize: chunkBytes });
  const fed = pipeline(Readable.from(text), gzip);
  try {
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      hash.update(chunk);
      yield chunk;
    }
  } finally {
    await fed;
  }
  yield trailerOf(hash);
}

/** The text of a packed export, from its bytes. Throws `GzipFileChanged` at its end, or where it can't be unpacked. */
export async function* gunzipWithDigest(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  // It ends with the error that reading `gunzip` meets too.
  const fed = pipeline(summed(bytes), gunzip).catch(() => undefined);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw isZlibError(error) ? new GzipFileChanged(`it can't be unpacked: ${error.message}`) : error;
  } finally {
    gunzip.destroy();
    await fed;
  }
}

/** The bytes as they are; at their end the last member must say their sum. */
async function* summed(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  let last: Buffer = Buffer.alloc(0);
  for await (const chunk of bytes) {
    const seen = Buffer.concat([last, chunk]);
    const sure = Math.max(0, seen.length - trailerBytes);
    hash.update(seen.subarray(0, sure));
    last = seen.subarray(sure);
    yield chunk;
  }
  if (!last.equals(trailerOf(hash))) {
    throw new GzipFileChanged(
      "its packed bytes are not those that were written; if it was packed anew since, verify it unpacked",
    );
  }
}

/** What zlib says of a file that is cut off or was changed. */
function isZlibError(error: unknown): error is Error {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_")
  );
}
