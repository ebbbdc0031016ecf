/** `node bench/profile.ts FOLDER [MOST]`: prints the profiles that `make bench ARGS="--profile FOLDER"` wrote. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { summarise } from "./profiles.ts";

const [folder, most = "25"] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder that --profile was given");
console.log(await summarise(folder, Number(most)));
console.log(await readFile(join(folder, "statements.json"), "utf8"));
