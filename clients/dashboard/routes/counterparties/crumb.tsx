import { Link } from "@tanstack/react-router";
import { counterpartyTexts } from "../../texts/counterparties.ts";

/** The way back to the list. */
export function Crumb() {
  return (
    <>
      <Link className="crumb" to="/counterparties">
        {counterpartyTexts.title}
      </Link>
      <span className="crumb"> / </span>
    </>
  );
}
