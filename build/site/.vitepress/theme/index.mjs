/** The usual theme, with diagrams and the page of the interface. */
import DefaultTheme from "vitepress/theme";
import { Diagram } from "./diagram.mjs";
import { Interface } from "./interface.mjs";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("Diagram", Diagram);
    app.component("Interface", Interface);
  },
};
