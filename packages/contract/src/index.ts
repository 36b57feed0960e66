export type {
  Adapter,
  AgentCredential,
  AgentMemory,
  AgentNeeds,
  Conversation,
  CredentialFile,
  MemoryFiles,
  ProbeHost,
  TerminalConversation,
  TranscriptLocation,
} from "./adapter.ts";
export { AgentEvent, isTextComplete, type AgentEventType, type Delta, type EventOf } from "./agent-event.ts";
export { Brief, briefInRoom, briefUpdateIntroduction, maxBriefBytes } from "./brief.ts";
export {
  capabilitiesOf,
  capabilitiesOver,
  hasOwnRule,
  mustAskAboutAll,
  ignoresWorkspaceFiles,
  isOlderVersion,
  usesFallback,
} from "./capabilities-of.ts";
export { capabilities, Capability } from "./capability.ts";
export { appliesTo, type Clause } from "./clauses/clause.ts";
export { clauses, type ClauseId } from "./clauses/clauses.ts";
export type { AgentAnswer, AgentCommand, Dialect, Effect, Observation, LaunchCommand } from "./dialect.ts";
export type { ToolResultObservation, TranscriptPart, Transition } from "./dialect.ts";
export { ErrorCategory } from "./error-category.ts";
export { errorCodes, FairleadError, type ErrorCode } from "./fairlead-error.ts";
export { Event, type EventDraft } from "./event.ts";
export { cutText, maxEventBytes, maxTextLength, splitIntoParts } from "./event-size.ts";
export { DecidedBy, DecisionOption, DecisionReading, DecisionRequested, Question } from "./events/decision.ts";
export { addTokenCounts, TokenCounts, UsageReported, zeroTokenCounts } from "./events/report.ts";
export { ResumeOutcome, SessionPaused, TranscriptFingerprint } from "./events/session.ts";
export { FileChanged } from "./events/tool.ts";
export { escapeInvisible, invisibleCharacters, toSafeJsonLine } from "./export/escape-invisible.ts";
export { exportJsonLines } from "./export/export-json-lines.ts";
export { exportMarkdown, type MarkdownExportOptions, type ReadEvents } from "./export/export-markdown.ts";
export { ToolAction, ToolActionKind } from "./events/tool-action.ts";
export { isSameJson } from "./json/is-same-json.ts";
export { jsonDepth } from "./json/json-depth.ts";
export { emptyKeyedMap, keyedMap, type KeyedMap } from "./json/keyed-map.ts";
export { closingEvents, type ClosingOutcomes } from "./law/closing-events.ts";
export { law, lawScopes, ruleOf, type EventRule, type LawScope, type LawScopeRule } from "./law/law.ts";
export { findViolations, type Violation } from "./law/find-violations.ts";
export {
  advance,
  emptyLedger,
  isOpen,
  enforcementOf,
  openRequest,
  openScopes,
  openTurn,
  upgradeLedger,
  type Ledger,
  type OpenScope,
} from "./law/ledger.ts";
export { clipEvent, ClippedPart, ReadEvent } from "./reading/clip-event.ts";
export { prependContext, stripContext } from "./reading/message-context.ts";
export { createEventMatcher, maxSearchTextLength, SearchMatch } from "./reading/search-match.ts";
export { addToOutline, emptyTurnOutline, type TurnOutline, TurnSummary } from "./reading/turn-outline.ts";
export type { Manifest, Settings } from "./manifest.ts";
export { RepositorySource, SessionRepository } from "./session-repository.ts";
export { Continuation, CopyOrigin, IsolatedCopy, Moving, ParentSession, ProbeResult, Opening } from "./opening.ts";
export { CredentialEndpoint, endpointUrl, NetworkGate, NetworkRecord, NetworkRule } from "./network.ts";
export { omitKey, ownValue } from "./json/own-value.ts";
export { modesThatAsk, PermissionMode, permissionModes } from "./permission-mode.ts";
export {
  defaultPolicySource,
  Policy,
  policyCategories,
  PolicyCategory,
  PolicyGrant,
  PolicyRule,
} from "./policy/policy.ts";
export { PolicyRuleRef, PolicyVerdict } from "./policy/policy.ts";
export { isAllowedByMode, needsPerson } from "./policy/needs-person.ts";
export { expandPolicyRequest, filterRules, isLoosening } from "./policy/policy-request.ts";
export { PolicyRequest, ruleNumber, withoutLoosening } from "./policy/policy-request.ts";
export { PolicySummary, SessionPolicy } from "./policy/session-policy.ts";
export { nestedRoomPaths, normalizeRooms, RoomName, roomOf, Rooms, RoomsInput } from "./rooms/rooms.ts";
export { expandPolicySpec, PolicySpec } from "./policy/policy-spec.ts";
export { commandRules, Exit, Note, recordKinds, type NoteOf, type RecordKind, type SpoolRecord } from "./record.ts";
export { ObservedChange, TranscriptEnd, TranscriptPosition } from "./record.ts";
export { policyDigest, policyRequestDigest, requestDigest } from "./request-digest.ts";
export { credentialBeginnings } from "./credentials/credential-patterns.ts";
export { maskCredentials, maskCredentialsIn } from "./credentials/mask-credentials.ts";
export { Sandbox } from "./sandbox.ts";
export { findReachedLimit, limitKinds, raisesLimit, Spent, SpendingLimits } from "./spending/spending-limits.ts";
export { costOfTokens, ModelPrice } from "./spending/model-price.ts";
export { tightenLimits, type LimitKind } from "./spending/spending-limits.ts";
export { startTimer, type TimerOptions } from "./start-timer.ts";
export { StreamedText, type TextRemainder } from "./streamed-text.ts";
export { TerminalSize } from "./terminal-size.ts";
export { ArtifactKind, artifactKindOf } from "./tools/artifact-kind.ts";
export { AskPersonInput, questionOf } from "./tools/ask-person.ts";
export type { HostTool, ToolContext } from "./tools/host-tool.ts";
export { ToolName, ToolOffer, ToolOutcome, toolServerName, ToolReport, type ToolResult } from "./tools/tool-offer.ts";
export { listMcpServers, McpServer, McpServers, McpServersInput, mcpToolName } from "./tools/mcp-server.ts";
export { storedEventVersion, upcast, upcastNote } from "./upcast.ts";
export { withSupportedMessage } from "./with-supported-message.ts";
export { Answer, Command, type CommandOf } from "./command.ts";
