// Preloaded into a process of the built package: prints at exit which large libraries were loaded.
const LARGE = [/node_modules\/ajv\/dist\/core\.js$/, /node_modules\/node-forge\/lib\/x509\.js$/];

process.on("exit", () => {
  const loaded = Object.keys(require.cache).filter((file) => LARGE.some((pattern) => pattern.test(file)));
  for (const file of loaded) process.stderr.write(`${file} was loaded\n`);
});
