/** The tests of the command line run the build. It is made once, before all of them. */
export { buildIfChanged as default } from "../../build/build.mjs";
