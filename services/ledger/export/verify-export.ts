import { createReadStream } from "node:fs";
import { ExportVerifier, type FileViolation, type ProvenFile } from "./domain/export-verifier.ts";
import { LineChecksum } from "./line-checksum.ts";
import { GzipFileChanged, gunzipWithDigest } from "./gzip-with-digest.ts";

const newline = 10;

/**
 * Verifies an export from the file alone (a `.gz` is decompressed). Returns what it proves, or the first violation with
 * its line. It streams: only the `JournalIndex` grows with the file.
 */
export function verifyExport(path: string): Promise<Verified> {
  const bytes = createReadStream(path, { highWaterMark: 1024 * 1024 });
  return verifyBytes(path.endsWith(".gz") ? gunzipWithDigest(bytes) : bytes);
}

export type Verified = { readonly proven: ProvenFile } | { readonly violation: FileViolation };

/** The same for an export's text, in pieces of any size. */
export async function verifyBytes(bytes: AsyncIterable<Buffer>): Promise<Verified> {
  const verifier = new ExportVerifier();
  const sum = new LineChecksum();
  const incomplete = (detail: string) => ({
    violation: { line: lines + 1, check: "the file is complete", detail },
  });
  let lines = 0;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of bytes) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        const part = chunk.subarray(start, end);
        const line = rest.length === 0 ? part : Buffer.concat([rest, part]);
        const violation = verifier.verifyLine(line.toString(), sum.checkNext(line));
        if (violation !== null) return { violation };
        lines += 1;
        rest = Buffer.alloc(0);
        start = end + 1;
      }
      if (start < chunk.length) rest = Buffer.concat([rest, chunk.subarray(start)]);
    }
  } catch (error) {
    if (error instanceof GzipFileChanged) return incomplete(error.message);
    throw error;
  }
  if (rest.length > 0 || !verifier.ended) return incomplete("it does not end with an end record");
  return { proven: verifier.proven };
}
