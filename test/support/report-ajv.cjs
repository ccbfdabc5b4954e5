// Preloaded into a process of the built package: says at the end whether ajv's compiler was loaded.
process.on("exit", () => {
  const loaded = Object.keys(require.cache).some((file) => /node_modules\/ajv\/dist\/core\.js$/.test(file));
  if (loaded) process.stderr.write("ajv was loaded\n");
});
