/** What a caller accepts, by name in small letters, each with its weight from 0 to 1 (RFC 9110, 12.4.2). */
export function weightsOf(header: string | string[] | undefined): ReadonlyMap<string, number> {
  return new Map(
    String(header ?? "")
      .toLowerCase()
      .split(",")
      .map((accepted) => {
        const [name = "", ...parameters] = accepted.split(";").map((part) => part.trim());
        const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
        return [name, /^(0(\.\d*)?|1(\.0*)?)$/.test(weight) ? Number(weight) : 0] as const;
      }),
  );
}
