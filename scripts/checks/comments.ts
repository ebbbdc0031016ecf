/** Comments fit into 120 columns; biome formats the code, and leaves comments alone. */
import { type Finding, linesOf, type Source } from "./source.ts";

const maxColumns = 120;
const comment = {
  tsx: /^\s*(\/\/|\/\*|\*|\{\/\*)/,
  ts: /^\s*(\/\/|\/\*|\*)/,
  cjs: /^\s*(\/\/|\/\*|\*)/,
  sql: /^\s*--/,
} as const;

/** Comment lines that are too long. `schema.sql` is generated, and its functions are checked in the migrations. */
export function checkCommentWidth(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    const kind = /\.(tsx?|cjs|sql)$/.exec(source.path)?.[1] as keyof typeof comment | undefined;
    if (kind === undefined || source.path.endsWith("/schema.sql")) return [];
    return linesOf(source)
      .filter(({ text }) => text.length > maxColumns && comment[kind].test(text))
      .map(({ line, text }) => {
        const message = `a comment of ${String(text.length)} columns: break it at ${String(maxColumns)}`;
        return { path: source.path, line, message };
      });
  });
}
