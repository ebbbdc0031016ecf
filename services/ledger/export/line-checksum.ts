import { crc32 } from "node:zlib";
import type { ExportRecord } from "./domain/export-format.ts";

/** The length of `,"crc":"0123abcd"}`, which ends every line. */
const sumBytes = 18;
const newline = Buffer.from("\n");

/**
 * Every line ends with the CRC-32 of all bytes of the file before that member. Digests and the hash chain prove the
 * books; the checksum only shows that no byte has changed, in names and blanks too, and on which line the first one is.
 */
export class LineChecksum {
  #sum = 0;

  /** The line of a record, with its newline. */
  lineOf(record: ExportRecord): string {
    const body = JSON.stringify(record).slice(0, -1);
    this.#sum = crc32(body, this.#sum);
    const end = `,"crc":"${hex(this.#sum)}"}`;
    this.#sum = crc32(`${end}\n`, this.#sum);
    return `${body}${end}\n`;
  }

  /** Adds the next line (without its newline) to the sum. True if it is as it was written. */
  checkNext(line: Buffer): boolean {
    const body = line.subarray(0, Math.max(0, line.length - sumBytes));
    const end = line.subarray(body.length);
    this.#sum = crc32(body, this.#sum);
    const isAsWritten = end.toString("latin1") === `,"crc":"${hex(this.#sum)}"}`;
    this.#sum = crc32(newline, crc32(end, this.#sum));
    return isAsWritten;
  }
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}
