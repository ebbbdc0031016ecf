/**
 * Returns a copy of the document with shared parameters and responses written into their operations. References to
 * schemas stay, because a schema may contain itself. Pure.
 */
export function inlineReferences<T>(document: T): T {
  const { components = {} } = document as {
    components?: Record<string, Record<string, unknown> | undefined>;
  };
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== "object" || value === null) return value;
    const reference = "$ref" in value ? sharedReference.exec(String(value.$ref)) : null;
    if (reference !== null) return inline(components[reference[1] ?? ""]?.[reference[2] ?? ""]);
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inline(each)]));
  };
  return inline(document) as T;
}

const sharedReference = /^#\/components\/(parameters|responses)\/(.+)$/;
