/** `npm run books -- id`: the forms of an id. Commands and the API print `po_…`; tables store `uuid`. */
import { idOf, type IdPrefix, idPrefixes, isId, uuidOf } from "../../../contracts/ids/ids.ts";
import { type Given, Misuse } from "../command-line/given.ts";
import type { Tool } from "../command-line/tool.ts";

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const prefixes = Object.values(idPrefixes);

interface Forms {
  readonly id: string;
  readonly uuid: string;
}

/** Both forms; of a uuid alone one per kind of resource, because it does not say which it is. */
function formsOf(given: Given): readonly Forms[] {
  const [text = "", prefix] = given.arguments;
  const known = prefixes.find((one) => one === prefix);
  if (prefix !== undefined && known === undefined)
    throw new Misuse(`${prefix} is no prefix of an id: it is one of ${prefixes.join(", ")}`);
  if (uuidPattern.test(text)) {
    const uuid = text.toLowerCase();
    const wanted: readonly IdPrefix[] = known === undefined ? prefixes : [known];
    return wanted.map((one) => ({ id: idOf(one, uuid), uuid }));
  }
  const own = prefixes.find((one) => isId(one, text));
  if (own === undefined) throw new Misuse(`${text} is neither an id, such as book_…, nor a uuid`);
  if (prefix !== undefined) throw new Misuse(`${text} has its prefix: name one for a uuid only`);
  return isId(own, text) ? [{ id: text, uuid: uuidOf(text) }] : [];
}

export const idCommands: Tool["commands"] = {
  id: {
    about:
      "print both forms of an id: that of commands and the API, and the uuid of the tables. Of a uuid\nwithout a prefix (book, po, la, …) it prints the id of every kind of resource",
    takes: ["<id or uuid>", "[prefix]"],
    check: formsOf,
    run: (given) => {
      for (const { id, uuid } of formsOf(given)) given.print({ id, uuid }, `${id}  ${uuid}`);
      return Promise.resolve();
    },
  },
};
