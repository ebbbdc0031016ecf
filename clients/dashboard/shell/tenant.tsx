import { Menu } from "@base-ui/react/menu";
import { ChevronDown } from "lucide-react";
import type { Me } from "../api/me.ts";
import { mode, otherBookPath } from "../book.ts";
import { visible } from "../parts/visible-text.ts";
import { texts } from "../texts/texts.ts";

/** Whose book is shown, and the way to the tenant's other book. */
export function Tenant({ me }: { me: Me }) {
  return (
    <Menu.Root>
      <Menu.Trigger className="tenant">
        <span>
          {visible(me.tenant.name)}{" "}
          {mode === "Live" ? (
            <small className="live">{texts.shell.liveWord}</small>
          ) : (
            <small>· {texts.shell.book.Test}</small>
          )}
        </span>
        <ChevronDown aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="menu-layer" sideOffset={4} align="start">
          <Menu.Popup className="menu">
            <Menu.Item className="menu-item" onClick={() => location.assign(otherBookPath)}>
              {texts.shell.otherBook[mode]}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
