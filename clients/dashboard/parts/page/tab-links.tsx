import { Link, type LinkProps } from "@tanstack/react-router";

interface TabLinksProps {
  readonly label: string;
  readonly tabs: readonly (readonly [to: NonNullable<LinkProps["to"]>, text: string])[];
}

/** The lists of one screen, each with its own address. */
export function TabLinks({ label, tabs }: TabLinksProps) {
  return (
    <nav className="tab-links" aria-label={label}>
      {tabs.map(([to, text]) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          activeProps={{ "aria-current": "page" }}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
