const maxTextBytes = 64 * 1024;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Control characters but for tabs and line breaks: no text has them. */
const binary = /(?![\t\n\r])\p{Cc}/u;

/** The body as text; null if it is not UTF-8 text or longer than 64 KiB, so that only its base64 is shown. */
export function textOf(body: Buffer): string | null {
  if (body.length > maxTextBytes) return null;
  try {
    const text = utf8.decode(body);
    return binary.test(text) ? null : text;
  } catch {
    return null; // not UTF-8
  }
}
