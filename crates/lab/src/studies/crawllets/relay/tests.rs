use super::*;

/// Somebody who sends everything back.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut from, mut to) = stream.split();
                tokio::io::copy(&mut from, &mut to).await
            });
        }
    });
    address
}

async fn there_and_back(stream: &mut TcpStream, bytes: usize) -> Duration {
    let began = Instant::now();
    stream.write_all(&vec![7; bytes]).await.unwrap();
    stream.read_exact(&mut vec![0; bytes]).await.unwrap();
    began.elapsed()
}

#[tokio::test]
async fn a_new_connection_costs_two_round_trips_and_an_old_one_one() {
    let shape = Shape { round_trip: Duration::from_millis(40), bits_per_second: 1e9 };
    let relay = Relay::open(shape, &[echo().await]).await.unwrap();
    let mut stream = TcpStream::connect(relay.addresses()[0]).await.unwrap();
    let first = there_and_back(&mut stream, 10).await;
    let second = there_and_back(&mut stream, 10).await;
    assert!(first >= Duration::from_millis(78), "{first:?}");
    assert!(second >= Duration::from_millis(38) && second < first, "{second:?}");
    assert_eq!(relay.bytes(), (20, 20));
}

#[tokio::test]
async fn all_connections_share_the_speed_of_the_line() {
    let shape = Shape { round_trip: Duration::ZERO, bits_per_second: 8e5 };
    let relay = Relay::open(shape, &[echo().await]).await.unwrap();
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..2 {
        let address = relay.addresses()[0];
        tasks.spawn(async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            there_and_back(&mut stream, 5_000).await
        });
    }
    tasks.join_all().await;
    // 10,000 bytes at 100,000 in a second.
    assert!(began.elapsed() >= Duration::from_millis(98), "{:?}", began.elapsed());
    assert_eq!(relay.bytes(), (10_000, 10_000));
}
