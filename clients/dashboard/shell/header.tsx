import { Menu as MenuIcon } from "lucide-react";
import { texts } from "../texts/texts.ts";
import { Proof } from "./proof.tsx";
import { Search } from "./search.tsx";

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
        aria-label={texts.shell.menu}
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
