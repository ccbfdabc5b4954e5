/** The OpenAPI document in Swagger UI, which is loaded on this page only. */
import { useData, withBase } from "vitepress";
import { defineComponent, h, onMounted, onUnmounted, ref, watchEffect } from "vue";

export const Interface = defineComponent(() => {
  const place = ref();
  const { isDark } = useData();
  // Swagger UI has dark colours under this class.
  const setDark = (dark) => document.documentElement.classList.toggle("dark-mode", dark);
  onMounted(() => watchEffect(() => setDark(isDark.value)));
  onUnmounted(() => setDark(false));
  onMounted(async () => {
    const [{ default: SwaggerUI }] = await Promise.all([
      import("swagger-ui-dist/swagger-ui-es-bundle.js"),
      import("swagger-ui-dist/swagger-ui.css"),
    ]);
    SwaggerUI({
      domNode: place.value,
      url: withBase("/openapi.json"),
      // A service refuses requests of a page that it does not serve itself, so there is nothing to try here.
      supportedSubmitMethods: [],
      validatorUrl: null,
      docExpansion: "list",
    });
  });
  return () => h("div", { ref: place });
});
