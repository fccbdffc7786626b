import { Prose } from "./prose.js";

/** What an answer does not take into account, right below it. */
export function Caveats({ caveats }: { readonly caveats: readonly string[] }) {
  if (caveats.length === 0) return null;
  return (
    <ul className="caveats" aria-label="Caveats">
      {caveats.map((text) => (
        <li key={text}>
          <strong>Caveat:</strong> <Prose text={text} />
        </li>
      ))}
    </ul>
  );
}
