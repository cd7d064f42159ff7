/*
 * The client that the suite starts for each scenario: it hands the scenario to the product, which is running already, and
 * ends as that went. The address of the scenario's server is the last argument.
 */
const {
  CONFORMANCE_CONTROL,
  MCP_CONFORMANCE_SCENARIO,
  MCP_CONFORMANCE_CONTEXT,
  MCP_CONFORMANCE_PROTOCOL_VERSION,
} = process.env

const answer = await fetch(CONFORMANCE_CONTROL ?? '', {
  method: 'POST',
  body: JSON.stringify({
    url: process.argv.at(-1),
    scenario: MCP_CONFORMANCE_SCENARIO,
    context: MCP_CONFORMANCE_CONTEXT === undefined ? {} : JSON.parse(MCP_CONFORMANCE_CONTEXT),
    revision: MCP_CONFORMANCE_PROTOCOL_VERSION,
  }),
})
process.stdout.write(await answer.text())
process.exitCode = answer.ok ? 0 : 1
