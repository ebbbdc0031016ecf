import { Menu } from "@base-ui/react/menu";
import { ChevronDown } from "lucide-react";
import type { Me } from "../api/people/me.ts";
import { mode, otherBookPath } from "../book.ts";
import { visible } from "../parts/values/visible-text.ts";
import { shellTexts } from "../texts/shell.ts";

/** Whose book is shown, and the way to the tenant's other book. */
export function Tenant({ me }: { me: Me }) {
  const mayEnterOther = (me.person?.roles[mode === "Test" ? "Live" : "Test"] ?? []).length > 0;
  return (
    <Menu.Root>
      <Menu.Trigger className="tenant">
        <span>
          {visible(me.tenant.name)}{" "}
          {mode === "Live" ? (
            <small className="live">{shellTexts.liveWord}</small>
          ) : (
            <small>· {shellTexts.book.Test}</small>
          )}
        </span>
        <ChevronDown aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="menu-layer" sideOffset={4} align="start">
          <Menu.Popup className="menu">
            <Menu.Item
              className="menu-item"
              disabled={!mayEnterOther}
              onClick={() => location.assign(otherBookPath)}
            >
              {(mayEnterOther ? shellTexts.otherBook : shellTexts.noOtherBook)[mode]}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
