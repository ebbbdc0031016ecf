import { access, constants, mkdir } from "node:fs/promises";

/** Makes the folder if it is missing. False if it can't be made or written to, such as below another user's home. */
export async function canWrite(dir: string): Promise<boolean> {
  try {
    await mkdir(dir, { recursive: true });
    await access(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
