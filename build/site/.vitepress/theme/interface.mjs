/** The OpenAPI document in Swagger UI, which is loaded on this page only. */
import { withBase } from "vitepress";
import { defineComponent, h, onMounted, ref } from "vue";

export const Interface = defineComponent(() => {
  const place = ref();
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
  return () => h("div", { ref: place, class: "interface", style: "background: white; color-scheme: light" });
});
