/** How often each property is checked in `npm run soak`; undefined in other runs. */
export const soakRuns = process.env['SOAK_RUNS'] === undefined ? undefined : Number(process.env['SOAK_RUNS'])

/** The rounds of each failure in the soak test; 0 in a usual test run, which plays some of them once. */
export const faultRounds = Number(process.env['FAULT_ROUNDS'] ?? 0)
