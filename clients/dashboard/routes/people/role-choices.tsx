import type { Role } from "../../../typescript/types.gen.ts";
import { mode } from "../../book.ts";
import { peopleTexts as words } from "../../texts/people.ts";

const roles = ["Viewer", "Maker", "Approver", "Developer", "Admin"] as const satisfies readonly Role[];

interface RoleChoicesProps {
  readonly chosen: readonly Role[];
  readonly change: (chosen: readonly Role[]) => void;
  /** The roles that can be chosen; all of them without it. */
  readonly among?: readonly Role[];
}

/** The roles in the page's book, each with what it is there for. */
export function RoleChoices({ chosen, change, among = roles }: RoleChoicesProps) {
  const toggle = (role: Role) =>
    change(chosen.includes(role) ? chosen.filter((one) => one !== role) : [...chosen, role]);
  return (
    <fieldset className="choices">
      <legend>{words.form.roles[mode]}</legend>
      {roles.map((role) => (
        <label key={role}>
          <input
            type="checkbox"
            className="tick"
            disabled={!among.includes(role)}
            checked={chosen.includes(role)}
            onChange={() => toggle(role)}
          />
          <span>
            {role} <span className="dim">{words.roles[role]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
