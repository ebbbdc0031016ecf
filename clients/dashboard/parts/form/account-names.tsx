import { useAccountNames } from "../../api/orders/new-order.ts";
import { visible } from "../values/visible-text.ts";

interface AccountNamesProps {
  readonly id: string;
  /** What stands in the field, by which more names are found in a book of many accounts. */
  readonly typed?: string;
}

/** What a field with `list={id}` suggests: the names of the accounts that can send and receive payments. */
export function AccountNames({ id, typed = "" }: AccountNamesProps) {
  const names = useAccountNames(typed);
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name}>
          {visible(name)}
        </option>
      ))}
    </datalist>
  );
}
