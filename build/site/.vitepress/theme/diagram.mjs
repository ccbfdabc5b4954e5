/** A diagram, drawn by mermaid, which is loaded on pages with diagrams only. */
import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, watchEffect } from "vue";

let drawn = 0;

export const Diagram = defineComponent({
  // encodeURIComponent has protected the text.
  props: { text: String },
  setup({ text }) {
    const { isDark } = useData();
    const picture = ref("");
    async function draw(theme) {
      const { default: mermaid } = await import("mermaid");
      mermaid.initialize({ startOnLoad: false, theme });
      picture.value = (await mermaid.render(`diagram-${++drawn}`, decodeURIComponent(text))).svg;
    }
    onMounted(() => watchEffect(() => void draw(isDark.value ? "dark" : "default")));
    return () => h("div", { class: "diagram", innerHTML: picture.value });
  },
});
