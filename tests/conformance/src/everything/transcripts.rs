//! What the suite looks at, without the suite: on a line in memory, with a clock that is set.

use serde_json::{Value, json};
use umcp::server::{Connection, Endpoint, Event, Memory};
use umcp::time::{Duration, Instant};

use super::{CATALOG, Everything};

/// Says these messages one after another, and whatever `next` says to a message of the server's; gives back what the server says.
fn play(messages: &[Value], mut next: impl FnMut(&Value) -> Option<Value>) -> Vec<Value> {
    let mut memory = Memory::<4096, 4096, 4, 4>::new();
    let mut connection = Connection::line(memory.lend());
    let (mut endpoint, mut everything) = (Endpoint::new(&CATALOG), Everything::default());
    let mut now = Instant::ZERO;
    let (mut said, mut unread) = (Vec::new(), Vec::new());
    let mut waiting: Vec<Value> = messages.iter().rev().cloned().collect();
    // Far more steps than any of this takes.
    for _ in 0..200 {
        if let Some(message) = waiting.pop() {
            let line = format!("{message}\n");
            connection.receive_buffer()[..line.len()].copy_from_slice(line.as_bytes());
            connection.commit(line.len());
        }
        loop {
            let event = connection.next_event(&mut endpoint, &mut everything, now);
            let is_idle = matches!(event, Event::NeedData | Event::Closed);
            if let Event::Answered { call, answer } = event {
                everything.answered(call, answer);
            }
            let out = connection.transmit();
            unread.extend_from_slice(out);
            let count = out.len();
            connection.transmitted(count);
            if is_idle && count == 0 {
                break;
            }
        }
        while let Some(end) = unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = unread.drain(..=end).collect();
            let message: Value = serde_json::from_slice(&line).expect("JSON");
            waiting.extend(next(&message));
            said.push(message);
        }
        Everything::tick(&mut connection, &mut endpoint, &mut everything, now);
        now = now + Duration::from_millis(10);
    }
    said
}

fn nothing(_: &Value) -> Option<Value> {
    None
}

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": { "sampling": {}, "elicitation": {}, "roots": {} },
        "progressToken": "t"
    });
    json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params })
}

fn call(tool: &str, more: &Value) -> Value {
    let mut params = json!({ "name": tool, "arguments": {} });
    for (key, value) in more.as_object().into_iter().flatten() {
        params[key] = value.clone();
    }
    modern("tools/call", params)
}

/// The one answer to one request.
fn ask(message: Value) -> Value {
    let mut said = play(&[message], nothing);
    assert_eq!(said.len(), 1, "{said:?}");
    said.pop().unwrap_or_default()
}

#[test]
fn rounds_end_once_everything_was_answered() {
    let accept = |content: Value| json!({ "action": "accept", "content": content });
    let sampled = json!({ "role": "assistant", "content": { "type": "text", "text": "Hi" }, "model": "m" });
    let roots = json!({ "roots": [{ "uri": "file:///a" }] });
    let named = accept(json!({ "name": "Alice" }));
    let table = [
        ("elicitation", json!({ "user_name": named }), "Hello, Alice!"),
        ("sampling", json!({ "capital_question": sampled }), "Hi"),
        ("list_roots", json!({ "client_roots": roots }), r#"Roots: [{"uri":"file:///a"}]"#),
    ];
    for (tool, answers, expected) in table {
        let tool = format!("test_input_required_result_{tool}");
        // Nothing, something else, and nonsense are asked again.
        for wrong in [json!({}), json!({ "other": named }), json!({ "user_name": 12345 }), Value::Null] {
            let reply = ask(call(&tool, &json!({ "inputResponses": wrong })));
            assert_eq!(reply["result"]["resultType"], "input_required", "{tool}: {reply}");
        }
        let reply = ask(call(&tool, &json!({ "inputResponses": answers })));
        assert_eq!(reply["result"]["content"][0]["text"], expected, "{reply}");
    }
}

#[test]
fn a_state_is_taken_only_as_it_was_given() {
    let accept = |content: Value| json!({ "action": "accept", "content": content });
    let answers = json!({
        "confirm": accept(json!({ "ok": true })),
        "step1": accept(json!({ "name": "Alice" })),
        "step2": accept(json!({ "color": "blue" })),
        "user_name": accept(json!({ "name": "Alice" })),
        "greeting": { "role": "assistant", "content": { "type": "text", "text": "Hi" }, "model": "m" },
        "client_roots": { "roots": [] }
    });
    let table = [
        ("request_state", 1, "state-ok, confirmed: true"),
        ("tampered_state", 1, "state-ok, confirmed: true"),
        ("multiple_inputs", 1, "Hi Alice, you have 0 roots."),
        ("multi_round", 2, "Alice likes blue."),
    ];
    for (tool, rounds, expected) in table {
        let tool = format!("test_input_required_result_{tool}");
        let again = |reply: &Value, change: &str| {
            let asked = reply["result"]["inputRequests"].as_object()?;
            let answers: Value = asked.keys().map(|key| (key.clone(), answers[key].clone())).collect();
            let state = reply["result"]["requestState"].as_str().unwrap_or_default();
            Some(call(&tool, &json!({ "inputResponses": answers, "requestState": format!("{state}{change}") })))
        };
        let said = play(&[call(&tool, &json!({}))], |reply| again(reply, ""));
        let last = said.last().map(|reply| &reply["result"]["content"][0]["text"]);
        assert_eq!((said.len(), last), (rounds + 1, Some(&json!(expected))), "{said:?}");
        let said = play(&[call(&tool, &json!({}))], |reply| again(reply, "-TAMPERED"));
        assert_eq!(said.last().map(|reply| &reply["error"]["code"]), Some(&json!(-32602)), "{said:?}");
        // Another server's state is as bad as one that was changed.
        let foreign = said[0]["result"]["requestState"].clone();
        assert_eq!(ask(call(&tool, &json!({ "requestState": foreign })))["error"]["code"], -32602);
    }
}

#[test]
fn a_handshake_revision_is_asked_on_behalf_of_the_call() {
    let greeting = |capabilities: Value| {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "t", "version": "1" }
        });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
    };
    let able = json!({ "sampling": {}, "elicitation": {} });
    let accepted = json!({ "action": "accept", "content": { "age": 25 } });
    let sampled = json!({ "role": "assistant", "content": { "type": "text", "text": "Hi" }, "model": "m" });
    let elicited = r#"Elicitation completed: action=accept, content={"age":25}"#;
    let table = [
        ("test_elicitation", json!({ "message": "Why?" }), "elicitation/create", &accepted, elicited),
        ("test_elicitation_sep1034_defaults", json!({}), "elicitation/create", &accepted, elicited),
        ("test_elicitation_sep1330_enums", json!({}), "elicitation/create", &accepted, elicited),
        ("test_sampling", json!({ "prompt": "Hello?" }), "sampling/createMessage", &sampled, "LLM response: Hi"),
    ];
    for (tool, arguments, method, answer, expected) in table {
        let params = json!({ "name": tool, "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
        let answer = |message: &Value| {
            message.get("method")?;
            Some(json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }))
        };
        let said = play(&[greeting(able.clone()), call.clone()], answer);
        let [_, question, reply] = &said[..] else { panic!("{said:?}") };
        assert_eq!(question["method"], method);
        assert_eq!((&reply["id"], &reply["result"]["content"][0]["text"]), (&json!(2), &json!(expected)), "{reply}");
        let said = play(&[greeting(json!({})), call], answer);
        assert_eq!(said.get(1).map(|reply| &reply["result"]["isError"]), Some(&json!(true)), "{said:?}");
    }
}

#[test]
fn work_is_told_of_in_three_steps() {
    let said = play(&[call("test_tool_with_progress", &json!({}))], nothing);
    let seen: Vec<_> = said.iter().filter_map(|message| message["params"]["progress"].as_i64()).collect();
    assert_eq!((seen, said.len()), (vec![0, 50, 100], 4), "{said:?}");

    let level = json!({ "jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": { "level": "debug" } });
    let params =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let greeting = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let params = json!({ "name": "test_tool_with_logging", "arguments": {} });
    let call = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": params });
    let said = play(&[greeting, level, call], nothing);
    let logged = said.iter().filter(|message| message["method"] == "notifications/message").count();
    assert_eq!((logged, said.len()), (3, 6), "{said:?}");
}
