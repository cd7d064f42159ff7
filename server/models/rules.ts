/** A rule of providers about the history or the options of a request. */
interface ProviderRule {
  readonly rule: string
  readonly providers: string
  /** Issues and pull requests of public trackers, or a page of the provider. None of them was called. */
  readonly sources: string
  /** How requests keep it. Where sources disagree, they are written so that both readings accept them. */
  readonly kept: string
}

/**
 * The rules of providers, and how requests keep them. The writers (`openai/chat.ts`, `openai/responses.ts`,
 * `ai-sdk/write-prompt.ts`) turn the conversation into each form; the stand-ins in `testing/models/strict/` refuse what
 * breaks a rule, and name it.
 */
export const providerRules = {
  callsAnswered: {
    rule: 'Every call is answered once, directly after its turn; no result without its call.',
    providers: 'all',
    sources: 'portkey 10066, 10034; agno#5116; codex#14355; claude-code#28515; opencode#2557, #32608',
    kept: 'buildPrompt: a message with calls is followed by one with a result for each.',
  },
  callIdForm: {
    rule: 'Ids of calls: nine letters and digits (Mistral, vLLM with its tokenizer); at most 40 characters (OpenAI, chat) or 64 (Responses, Bedrock); letters, digits, hyphen, underscore (Anthropic, Bedrock).',
    providers: 'mistral, vllm, openai, azure, anthropic, bedrock',
    sources:
      'mistral-common validator.py@039465db; vllm#9019; vercel/ai#5171; opencode#12653, #1279; openclaw#875; codex#14355',
    kept: 'writeCallIds: chat sends nine letters and digits, except for calls whose data the provider itself wants back; the others keep ids of at most 64 characters from that alphabet.',
  },
  callIdUnique: {
    rule: 'No two calls of a request have the same id.',
    providers: 'openai, azure, responses, anthropic, bedrock',
    sources: 'codex#14355; claude-code#28515; pi#9057',
    kept: 'writeCallIds.',
  },
  roleOrder: {
    rule: 'User and assistant alternate, also after results; the system message is first, then the user.',
    providers: 'mistral, vllm, llamacpp, lmstudio, qwen, zai, minimax; bedrock: no text beside results',
    sources:
      'mistral-common validator.py@039465db; eca#231, #233; vllm#6862; llama.cpp#21889; lmstudio#1586; quarkus-langchain4j#1983',
    kept: 'buildPrompt joins messages of one role; chat sends a short reply between results and a message of the user.',
  },
  lastRole: {
    rule: 'The last message is not the assistant’s.',
    providers: 'mistral, anthropic (4.6 and later), vllm, llamacpp, bedrock',
    sources: 'llama.cpp#26359; home-assistant#175637; mistral-common validator.py@039465db',
    kept: 'buildPrompt.',
  },
  resultsGrouped: {
    rule: 'All results of a turn are in the one message after it: first in the user’s (Anthropic, Bedrock), or alone in one content (Google).',
    providers: 'anthropic, bedrock, google',
    sources: 'copilot-cli#102; llumiverse#620; gemini-cli#17208',
    kept: 'A `tool` message has all results of its turn.',
  },
  blankText: {
    rule: 'No text is blank, and no assistant message is empty.',
    providers: 'anthropic, bedrock, moonshot',
    sources: 'strands#1694; llama_index#22775; kimi-agent-sdk#169; kimi-code#1985',
    kept: 'buildPrompt leaves out blank texts.',
  },
  contentBesideCalls: {
    rule: 'Calls without text: the content must not be null (Ollama, xAI), or not an empty text (gateways to Bedrock). Disputed for xAI; DeepSeek and the compatible address of Bedrock take both.',
    providers: 'ollama, xai, bedrock, cohere',
    sources:
      'openclaude#1371; pydantic-ai#5206; langchain#34140; AstrBot#6551; vercel/ai#14612; agentjido/req_llm#966; @ai-sdk/cohere',
    kept: 'Chat sends an empty text, null to models of Bedrock, and the other one after a refusal.',
  },
  reasoningContent: {
    rule: 'With thinking, `reasoning_content` comes back with every call, also those of other models; with preserved thinking, with every reply. In Anthropic’s form it is a block of thinking, and in Responses a text of reasoning before each call. Sources disagree on whether it may be empty.',
    providers: 'deepseek, moonshot, mimo',
    sources:
      'api-docs.deepseek.com/guides/thinking_mode; pawwork#250; hermes-agent#15228, #17057; kimi-agent-sdk#169; kimi-cli#2498; opencode#10996; 9router#2397; craft-agents-oss#746; rikkahub#1629, #1690',
    kept: 'It is sent with every reply, at once to those that are known (`thinkingFor`), else after a refusal: what the model itself thought, else the stored text, else a dash.',
  },
  wholeCharacters: {
    rule: 'No half of a character (a lone surrogate) in any text.',
    providers: 'anthropic, and other strict readers of JSON',
    sources: 'claude-code#3277; opencode#13985',
    kept: '`normalizeText` where texts come in: bodies of requests, results of tools, replies of models.',
  },
  unknownFields: {
    rule: 'Fields that the provider does not know are refused.',
    providers: 'openai, azure, mistral, groq',
    sources: 'litellm#30835; jan#8136; azure-sdk-for-net#45557 (stream_options)',
    kept: 'Fields beyond OpenAI’s are sent only where they are wanted (`chat-dialects.ts`), and left out after a refusal.',
  },
  nameWithResults: {
    rule: 'The name of a tool beside its result is refused (xAI, Cohere, Bedrock; disputed for Groq), or wanted (Google as compatible with OpenAI).',
    providers: 'xai, cohere, bedrock, groq, google',
    sources:
      'litellm#9720; pipecat#2274; any-llm#195; opencode#2038; langchain#23601; console.groq.com/docs/openai',
    kept: 'Chat sends it except to these four, and leaves it out after a refusal.',
  },
  oneCallPerMessage: {
    rule: 'A message has one call (chat template of Llama 3).',
    providers: 'vllm, llamacpp',
    sources: 'llamadart#557; vllm#11592',
    kept: 'After a refusal each call gets a message of its own, followed by its result.',
  },
  systemRole: {
    rule: 'There is no system role (chat template of Gemma 2).',
    providers: 'vllm, sglang, llamacpp',
    sources: 'chat-ui#1386; sglang#1342; llama-cpp-python#1580',
    kept: 'After a refusal the instructions are put before the first message of the user.',
  },
  toolDescription: {
    rule: 'The description of a tool is not empty, but may be absent.',
    providers: 'bedrock',
    sources: 'LibreChat#13209; bedrock-access-gateway#213; opencode#48582',
    kept: 'An empty description is left out.',
  },
  signatures: {
    rule: 'From Gemini 3 on, each step of the current turn has the signature of its first call, or a documented text in place of one. Whether another model’s signature is accepted is disputed.',
    providers: 'google, also as compatible with OpenAI',
    sources: 'ai.google.dev/gemini-api/docs/thought-signatures; 9router#4136',
    kept: 'Signatures return to the model that made them only (`noteSource`); the others get the documented text (`anySignature`), also after a refusal.',
  },
  sealedReasoning: {
    rule: 'Encrypted reasoning and signed thinking are bound to the organisation and the model.',
    providers: 'responses, anthropic, openrouter',
    sources: 'pydantic-ai#4608; platform.claude.com/docs/build-with-claude/preserved-thinking',
    kept: '`noteSource` has address, model and account; after a refusal the request is sent without it.',
  },
  thinkingTurn: {
    rule: 'A turn is in one way of thinking, with all its calls: with a budget it begins with thinking, and without one it has none. Whether a text after the results ends the turn is disputed.',
    providers: 'anthropic before 4.6',
    sources: 'platform.claude.com thinking-tool-workflows; n8n#22550; forgecode#1195, #1853',
    kept: 'A budget is sent when the turn begins with thinking by both readings, and thinking only with a budget.',
  },
  thinkingPrefix: {
    rule: 'Thinking is valid only after the same prefix as when it was made.',
    providers: 'anthropic (5.1 and later)',
    sources: 'platform.claude.com/docs/build-with-claude/preserved-thinking; pydantic-ai#7984',
    kept: 'The request asks to drop such thinking, and is sent without it after a refusal.',
  },
  toolNames: {
    rule: 'Names of tools: letters, digits, underscore, hyphen; at most 64 characters; for Google 63, and a letter or underscore first.',
    providers: 'all',
    sources: 'Qwen3-VL#2069; mistral-common validator.py@039465db; ai.google.dev function-calling',
    kept: '`nameTools` for tools, `writeToolName` for calls in the history.',
  },
  toolCount: {
    rule: 'At most 128 tools, and as many calls in a message.',
    providers: 'openai, azure',
    sources: 'hexstrike#29; copilot-cli#669; openai-dotnet#317',
    kept: '`maxToolsPerRequest`, and `maxToolCalls` of a reply.',
  },
  toolSchema: {
    rule: 'The schema of a tool is an object, without alternatives at its root.',
    providers: 'openai, anthropic',
    sources: 'not read again',
    kept: '`adaptSchema`.',
  },
  toolsWithCalls: {
    rule: 'A history with calls needs tools. Disputed.',
    providers: 'bedrock, litellm, anthropic',
    sources: 'portkey 10488; litellm#14039',
    kept: 'buildPrompt describes calls as text in a request without tools.',
  },
  callArguments: {
    rule: 'The arguments of a call are a JSON object.',
    providers: 'all',
    sources: 'platform.claude.com messages; ai.google.dev function-calling; ollama openai.go',
    kept: 'A broken call is sent with `{}`, and its result quotes what the model wrote.',
  },
  limitField: {
    rule: 'Reasoning models of OpenAI take `max_completion_tokens`, others may know `max_tokens` only.',
    providers: 'openai, azure',
    sources: 'vane#1173',
    kept: '`chat-dialects.ts`, and the other one after a refusal.',
  },
  effortWithTools: {
    rule: 'GPT-5.6 refuses a reasoning effort beside tools; by one reading also its default.',
    providers: 'openai (chat)',
    sources: 'community.openai 1386454',
    kept: 'After a refusal the effort is left out, then it is `none`.',
  },
  sampling: {
    rule: 'No temperature, top-p or top-k (Anthropic 4.7 and later, which think adaptively only; its API of 2026-10-21); temperature 1 only (Moonshot, GPT-5).',
    providers: 'anthropic, moonshot, openai',
    sources:
      'picoclaw#2939; platform.claude.com migration-2026-10-21; MemberJunction RejectsSamplingParams; docs.aws.amazon.com claude-messages-adaptive-thinking; kimi-code#1985; vane#1173',
    kept: 'Top-k is never sent; the others are left out with a notice (`stream-reply.ts`): at once where the list of models or the name tells, else after a refusal. Requests have the version 2023-06-01.',
  },
  assistantDocuments: {
    rule: 'No document in an assistant turn.',
    providers: 'anthropic (API of 2026-10-21)',
    sources: 'platform.claude.com migration-2026-10-21',
    kept: 'The parts of an assistant message are text, reasoning and calls.',
  },
  mediaRole: {
    rule: 'Pictures and documents come from the user, not with the result of a tool.',
    providers: 'openai (chat), and servers compatible with it',
    sources: 'openai-node#1030; OpenHands#7700; community.openai 1357818',
    kept: 'movePictures: those of results are in a message of the user after all results of the turn.',
  },
  mediaForm: {
    rule: 'Pictures are PNG, JPEG, WebP or GIF (not for Google) in base64, of the type that is named; documents are PDF.',
    providers: 'all',
    sources:
      'developers.openai.com file-inputs; platform.claude.com vision, pdf-support; ai.google.dev image-understanding; vscode#286628; gptpdf#6; edsl#2057',
    kept: 'The types of `MediaPart`, and `mediaLimitsOf`.',
  },
  mediaCount: {
    rule: 'A request has a limit of pictures: 500 (OpenAI), 100 or 600 (Anthropic), 8 (Mistral), 5 (Groq), 1 or more (vLLM). With more than 20 Anthropic wants at most 2000 pixels.',
    providers: 'all',
    sources: 'see `media-limits.ts`; dify#11177; letta-code#615; vllm#13513',
    kept: 'chooseMedia.',
  },
  mediaOrder: {
    rule: 'Pictures and documents are before the text about them. Recommended.',
    providers: 'anthropic, google',
    sources: 'platform.claude.com vision; ai.google.dev image-understanding',
    kept: '`ai-sdk/write-prompt.ts`.',
  },
  onlyTexts: {
    rule: 'The content of a message is a text, not a list, unless it has a picture.',
    providers: 'deepseek, ollama, and older servers',
    sources: 'browser-use#159; chatbox#1740',
    kept: 'Only messages with pictures or documents have a list.',
  },
  resultPictures: {
    rule: 'The result of a tool is a text, although OpenAI takes a list with pictures.',
    providers: 'llamacpp, lmstudio, sglang, omlx (Responses); google before Gemini 3',
    sources: 'llama.cpp#23380; lmstudio#2248; sglang#33867; omlx#367; @ai-sdk/google',
    kept: 'Responses sends the list, and after a refusal the pictures come from the user (`movePictures`), as for older models of Google.',
  },
  fileNames: {
    rule: 'The name of a document has letters, digits, single spaces, hyphens, parentheses and square brackets only, so no dot; none is twice.',
    providers: 'bedrock',
    sources: 'docs.aws.amazon.com API_runtime_DocumentBlock; vercel/ai#20365; opencode#19964; gptel#1427',
    kept: '`openFileNamer`: at once where the address or the model tells, else after a refusal.',
  },
} as const satisfies Record<string, ProviderRule>

export type RuleName = keyof typeof providerRules
