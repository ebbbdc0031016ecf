import { Menu as MenuIcon } from "lucide-react";
import { shellTexts } from "../texts/shell.ts";
import { Proof } from "./status/proof.tsx";
import { Search } from "./navigation/search.tsx";

interface HeaderProps {
  readonly titleRef: (element: HTMLElement | null) => void;
  readonly isMenuOpen: boolean;
  readonly toggleMenu: () => void;
}

export function Header({ titleRef, isMenuOpen, toggleMenu }: HeaderProps) {
  return (
    <header className="header">
      <button
        type="button"
        className="menu-button quiet"
        aria-label={shellTexts.menu}
        aria-expanded={isMenuOpen}
        aria-controls="navigation"
        onClick={toggleMenu}
      >
        <MenuIcon aria-hidden />
      </button>
      <div className="title" ref={titleRef} />
      <Search />
      <Proof />
    </header>
  );
}
