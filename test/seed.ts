import fc from "fast-check";

// `npm test` asks the same questions every time, so that what is green stays green until something changes.
// FAST_CHECK_SEED=random looks for new ones, FAST_CHECK_SEED=NUMBER asks those of an earlier run again.
const given = process.env.FAST_CHECK_SEED ?? "20261115";
if (given !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(given) });
