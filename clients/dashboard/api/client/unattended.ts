/** Whether anybody works with the page. A screen that reads by itself must not keep an unused session alive. */

const attendedMs = 60_000;
const signs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"];

let lastSign = Date.now();
for (const type of signs) {
  document.addEventListener(type, () => (lastSign = Date.now()), { capture: true, passive: true });
}

/** The header of the page's own reads, which don't count as use of the session. Empty while somebody uses the page. */
export function unattendedHeader(): Readonly<Record<string, string>> {
  return Date.now() - lastSign < attendedMs ? {} : { "Quittance-Unattended": "true" };
}
