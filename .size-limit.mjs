/** What a reader downloads, in brotli. dist/dashboard/.vite/manifest.json says which files a screen needs. */
import { readFileSync } from "node:fs";

const folder = "dist/dashboard/";
const manifest = JSON.parse(readFileSync(`${folder}.vite/manifest.json`, "utf8"));

/** The files of a part of the build and of all that it imports at once. */
function filesOf(name, kind, seen = new Set()) {
  const part = manifest[name];
  if (part === undefined || seen.has(name)) return [];
  seen.add(name);
  const own = kind === "css" ? (part.css ?? []) : [part.file];
  return [...own, ...(part.imports ?? []).flatMap((one) => filesOf(one, kind, seen))];
}

const entry = "index.html";
const firstScreen = "routes/approvals/approvals.tsx";
const first = [...new Set([entry, firstScreen].flatMap((name) => filesOf(name, "js")))];
const styles = [...new Set([entry, firstScreen].flatMap((name) => filesOf(name, "css")))];
const further = Object.keys(manifest).filter((name) => manifest[name].isDynamicEntry && name !== firstScreen);
const inFolder = (files) => files.map((file) => folder + file);

export default [
  { name: "script of the first screen", path: inFolder(first), limit: "190 kB" },
  { name: "styles of the first screen", path: inFolder(styles), limit: "15 kB" },
  { name: "font", path: `${folder}assets/*.woff2`, limit: "50 kB", brotli: false },
  ...further.map((name) => ({
    name,
    path: inFolder(filesOf(name, "js").filter((file) => !first.includes(file))),
    limit: "30 kB",
  })),
];
