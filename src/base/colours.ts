/** The colours of every page: the console's, and those that the service and the emulator write themselves. */

const LIGHT = {
  page: "#f4f2ec",
  surface: "#fffefb",
  ink: "#1b211e",
  muted: "#5a645e",
  line: "#d9d5ca",
  accent: "#146b54",
  "on-accent": "#ffffff",
  good: "#146b54",
  "good-soft": "#dcefe6",
  care: "#7a4f00",
  "care-soft": "#fbeecd",
  bad: "#a3241d",
  "bad-soft": "#fbe1dd",
} as const;

const DARK: Readonly<Record<keyof typeof LIGHT, string>> = {
  page: "#121614",
  surface: "#1b211e",
  ink: "#e9ece7",
  muted: "#a3aea7",
  line: "#343d38",
  accent: "#63cba8",
  "on-accent": "#0b1f18",
  good: "#63cba8",
  "good-soft": "#16352b",
  care: "#ecbf5c",
  "care-soft": "#3a2f14",
  bad: "#ff9a8f",
  "bad-soft": "#44201d",
};

/** Colours that are the same on light and dark screens. For example, a receipt looks like paper on every screen. */
const ALWAYS = {
  paper: "#fff",
  "on-paper": "#111",
  backdrop: "rgb(0 0 0 / 45%)",
  shadow: "rgb(0 0 0 / 12%)",
} as const;

/** CSS with a custom property for each colour, such as `var(--good-soft)`; light or dark, as the system is. */
export const COLOUR_RULES = `:root { color-scheme: light dark; ${properties({ ...LIGHT, ...ALWAYS })} }
@media (prefers-color-scheme: dark) { :root { ${properties(DARK)} } }
`;

function properties(colours: Readonly<Record<string, string>>): string {
  return Object.entries(colours)
    .map(([name, colour]) => `--${name}: ${colour};`)
    .join(" ");
}
