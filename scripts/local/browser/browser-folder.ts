/** A folder with a browser that needs no installation. */
import { access, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { canWrite } from "../files/writable-folder.ts";

export interface Browser {
  readonly path: string;
  /** What it needs besides the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns the folder `name` in the user's cache, or else in `localDir`, the clone's own scratch folder. If it is
 * missing, `fill` fills one beside it, which is then renamed: nobody finds half of it.
 */
export async function filledOnce(
  localDir: string,
  name: string,
  fill: (unfinished: string, finished: string) => Promise<void>,
): Promise<string> {
  const caches = [join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "quittance"), localDir];
  for (const cache of caches) {
    const dir = join(cache, name);
    if (await exists(dir)) return dir;
    if (!(await canWrite(cache))) continue;
    const unfinished = await mkdtemp(join(cache, "chromium-new-"));
    try {
      await fill(unfinished, dir);
      // Another clone may have filled it in the meantime. A rename on a folder that has files fails.
      await rename(unfinished, dir).catch(async (error: unknown) => {
        if (!(await exists(dir))) throw error;
      });
      return dir;
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }
  throw new Error(`none of ${caches.join(", ")} can be written to`);
}

/** Without its fonts.conf the browser ends at once on a machine that has no fonts. */
export function writeFontsConf(unfinished: string, finished: string, fonts: string): Promise<void> {
  const lines = [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    "<fontconfig>",
    `  <dir>${join(finished, fonts)}</dir>`,
    `  <cachedir>${join(finished, "font-cache")}</cachedir>`,
    "</fontconfig>",
    "",
  ];
  return writeFile(join(unfinished, "fonts.conf"), lines.join("\n"));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
