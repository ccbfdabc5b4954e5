/** Links to the manuals, which are in Serbian. */
import { useSpeech } from "./texts.js";

const MANUALS = [
  ["user", "manualUser"],
  ["installation", "manualInstallation"],
] as const;
const SCRIPTS = [
  ["sr-Cyrl", "ћирилица"],
  ["sr-Latn", "latinica"],
] as const;

export function Manuals() {
  const { say } = useSpeech();
  return (
    <section aria-label={say("manuals")}>
      <h2>{say("manuals")}</h2>
      <ul>
        {MANUALS.map(([name, title]) => (
          <li key={name}>
            {say(title)}:{" "}
            {SCRIPTS.map(([script, label], i) => (
              <>
                {i > 0 && ", "}
                <a href={`/console/manuals/${name}.${script}.html`} target="_blank" rel="noreferrer" lang={script}>
                  {label}
                </a>
              </>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
