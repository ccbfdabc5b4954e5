/** The usual theme, with the page of the interface. */
import DefaultTheme from "vitepress/theme";
import { Interface } from "./interface.mjs";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("Interface", Interface);
  },
};
