import { Link } from "@tanstack/react-router";
import type { Me } from "../../api/people/me.ts";
import liveIcon from "../../icons/live.svg";
import { shellTexts } from "../../texts/shell.ts";
import { sections } from "./entries.tsx";
import { Person } from "../person/person.tsx";
import { Tenant } from "../tenant.tsx";

interface NavigationProps {
  readonly me: Me;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** The screens that the person's scopes open. A screen that they don't open is absent. */
export function Navigation({ me, isOpen, close }: NavigationProps) {
  return (
    <nav
      className={isOpen ? "navigation open" : "navigation"}
      id="navigation"
      aria-label={shellTexts.mainNavigation}
    >
      <div className="brand">
        <img src={liveIcon} alt="" />
        {shellTexts.product}
      </div>
      <Tenant me={me} />
      {sections.map(({ title, entries }) => {
        const open = entries.filter(({ scope }) => me.scopes.includes(scope));
        if (open.length === 0) return null;
        return (
          <div key={title}>
            {title !== "" && <h2>{title}</h2>}
            <ul>
              {open.map(({ to, text, icon: Icon, badge: Badge }) => (
                <li key={to}>
                  <Link to={to} activeProps={{ "aria-current": "page" }} onClick={close}>
                    <Icon aria-hidden />
                    {text}
                    {Badge !== undefined && <Badge />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        );
      })}
      <Person me={me} />
    </nav>
  );
}
