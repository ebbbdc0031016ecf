import { createHash, type Hash } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";

// Bytes of a gzip file can change without changing its content: the header has a time, and a back reference may point
// at either of two equal strings. So the file ends with a second, empty member whose comment is the SHA-256 of all
// bytes before it. Every tool still unpacks the file, and the verifier detects each changed byte.

const chunkBytes = 1024 * 1024;
const header = Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff]);
const emptyContent = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const trailerBytes = header.length + 65 + emptyContent.length;

function trailerOf(hash: Hash): Buffer {
  return Buffer.concat([header, Buffer.from(`${hash.digest("hex")}\0`), emptyContent]);
}

/** The compressed file is not the one that the export wrote. */
export class GzipFileChanged extends Error {
  override readonly name = "GzipFileChanged";
}

/** Compresses an export, for speed rather than size, and appends the digest. */
export async function* gzipWithDigest(text: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const hash = createHash("sha256");
  const gzip = createGzip({ level: 1, chunkSize: chunkBytes });
  const feeding = pipeline(Readable.from(text), gzip);
  try {
    for await (const chunk of gzip as AsyncIterable<Buffer>) {
      hash.update(chunk);
      yield chunk;
    }
  } finally {
    await feeding;
  }
  yield trailerOf(hash);
}

/**
 * Decompresses an export. Throws `GzipFileChanged` if it can't be decompressed, or at its end if the digest differs.
 */
export async function* gunzipWithDigest(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  // Reading `gunzip` throws the same error.
  const feeding = pipeline(verifyingDigest(bytes), gunzip).catch(() => undefined);
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw isZlibError(error) ? new GzipFileChanged(`it can't be decompressed: ${error.message}`) : error;
  } finally {
    gunzip.destroy();
    await feeding;
  }
}

/** Passes the bytes on; at the end, compares their digest with the last member. */
async function* verifyingDigest(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
      "its compressed bytes differ from those that were written; if it was compressed again, verify the decompressed file",
    );
  }
}

/** The error of zlib for a file that is truncated or changed. */
function isZlibError(error: unknown): error is Error {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_")
  );
}
