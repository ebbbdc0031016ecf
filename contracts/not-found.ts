import { Refusal } from "./errors.ts";

/**
 * The refusal for an id that is not in the caller's book. Another book's id is refused in the same way, so that nobody
 * can find out which ids exist. `pointer` names the field of the request body that held the id.
 */
export function notFound(what: string, pointer?: string): Refusal {
  const detail = `There is no ${what} with this id in this book. Check the id and the mode: Test and Live are separate.`;
  if (pointer === undefined) return new Refusal("not_found", detail);
  return new Refusal("not_found", detail, {
    errors: [{ pointer, code: "not_found", message: "is not in this book" }],
  });
}
