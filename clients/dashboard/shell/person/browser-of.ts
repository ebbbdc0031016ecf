/** A browser also names the ones that it descends from, so the first match counts. */
const browsers = [
  ["Edg", "Edge"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const systems = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["Windows", "Windows"],
  ["Mac OS", "macOS"],
  ["Linux", "Linux"],
] as const;

/** `Chrome on Linux`; an unknown browser by the name that it gives itself. */
export function browserOf(userAgent: string): string {
  const [, browser] = browsers.find(([part]) => userAgent.includes(part)) ?? [];
  const [, system] = systems.find(([part]) => userAgent.includes(part)) ?? [];
  if (browser === undefined) return userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
